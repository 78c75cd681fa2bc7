package agentcard

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// formats are the known formats.
var formats = map[string]func(string) bool{
	"url":       isURL,
	"uri":       isURL,
	"email":     func(s string) bool { a, err := mail.ParseAddress(s); return err == nil && a.Address == s },
	"uuid":      regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`).MatchString,
	"date":      func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil },
	"date-time": func(s string) bool { _, err := time.Parse(time.RFC3339, s); return err == nil },
	"json":      func(s string) bool { return json.Valid([]byte(s)) },
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() },
	"hostname":  regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`).MatchString,
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && (u.Host != "" || u.Opaque != "")
}

// Format returns the check for values of a format, whose name may be in upper or lower case, or nil when the format is not known. A rule with an
// unknown format is not checked: it is only shown to people.
func Format(name string) func(value string) bool { return formats[strings.ToLower(name)] }

// UnknownFormats warns of rules that are not checked because of their format, which may be misspelt.
func UnknownFormats(inputs []InputSchema) []Warning {
	var warnings []Warning
	for i, in := range inputs {
		for j, rule := range in.ValidationRules {
			name, _ := rule.Value.(string)
			if rule.Type != "format" || Format(name) != nil {
				continue
			}
			warnings = append(warnings, Warning{
				Code: "FORMAT_UNKNOWN", Field: fmt.Sprintf("metadata.input_schemas[%d].validation_rules[%d].value", i, j),
				Message: fmt.Sprintf("the format %q is not known, so that nothing is checked; known are %s", fault.Clip(name), strings.Join(slices.Sorted(maps.Keys(formats)), ", ")),
			})
		}
	}
	return warnings
}
