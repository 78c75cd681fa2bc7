// Package tables describes the DynamoDB tables that modules have in common which must not know each other.
package tables

import "github.com/quorate/quorate/platform/ddb"

// AllowedDomains returns the table of the domains that web-fetch agents may read from: the agents keep it, and the control plane's
// own tool creates it together with its own. An item is one domain of one tenant.
func AllowedDomains() ddb.Table {
	return ddb.Table{Name: "AllowedDomains", Hash: ddb.Text("tenant"), Range: ddb.Text("domain")}
}
