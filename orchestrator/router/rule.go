package router

import (
	"encoding/json"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quorate/quorate/registry"
)

// formats are the formats that a rule of type format may name. A rule that names another one is not checked: it is for people.
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

// holds reports whether a value keeps a rule. The registry lets only rules in whose values have the right form; any other holds for nothing.
func holds(rule registry.ValidationRule, value string) bool {
	switch rule.Type {
	case "format":
		name, _ := rule.Value.(string)
		check, known := formats[strings.ToLower(name)]
		return !known || check(value)
	case "length":
		most, ok := rule.Value.(float64)
		return ok && float64(utf8.RuneCountInString(value)) <= most
	case "pattern":
		text, ok := rule.Value.(string)
		if !ok {
			return false
		}
		pattern, err := regexp.Compile(text)
		return err == nil && pattern.MatchString(value)
	case "enum":
		list, ok := rule.Value.([]any)
		return ok && slices.Contains(list, any(value))
	default:
		return false
	}
}
