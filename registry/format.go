package registry

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
)

// formats are the formats that are known.
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

// Format returns the check of the format that a rule of type format names, in letters of any case, or nil when it is not known. A rule that names such a one is
// not checked: it is for people.
func Format(name string) func(value string) bool { return formats[strings.ToLower(name)] }

// unknownFormats warns of rules that are not checked, which may be a misspelling.
func unknownFormats(inputs []InputSchema) []Warning {
	var warnings []Warning
	for i, in := range inputs {
		for j, rule := range in.ValidationRules {
			name, _ := rule.Value.(string)
			if rule.Type != "format" || Format(name) != nil {
				continue
			}
			warnings = append(warnings, Warning{
				Code: "FORMAT_UNKNOWN", Field: fmt.Sprintf("metadata.input_schemas[%d].validation_rules[%d].value", i, j),
				Message: fmt.Sprintf("the format %q is not known, so that nothing is checked; known are %s", clip(name), strings.Join(slices.Sorted(maps.Keys(formats)), ", ")),
			})
		}
	}
	return warnings
}
