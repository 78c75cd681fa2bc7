// Package tables describes the DynamoDB tables that are shared by modules which must not import each other.
package tables

import "github.com/quorate/quorate/platform/ddb"

// AllowedDomains returns the table of the domains that web-fetch agents may read from. The agents maintain it, and the control
// plane's command creates it together with its own tables. An item is one domain of one tenant.
func AllowedDomains() ddb.Table {
	return ddb.Table{Name: "AllowedDomains", Hash: ddb.Text("tenant"), Range: ddb.Text("domain")}
}
