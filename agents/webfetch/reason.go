package webfetch

import (
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

const cannotFetch = "cannot fetch "

// failure returns a fault about u: format and args say what is wrong and what to do.
func failure(kind fault.Kind, reason string, u *url.URL, format string, args ...any) *fault.Error {
	where := Redact(u)
	return fault.New(kind, reason, cannotFetch+"%s: "+format, append([]any{where}, args...)...).With("url", where)
}

// Redact returns u for logs and messages: without user, password and fragment, and with every value of the query left out.
func Redact(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	if u.RawQuery == "" {
		return printable(shown.String())
	}
	names := make([]byte, 0, len(u.RawQuery))
	value := false
	for _, c := range []byte(u.RawQuery) {
		switch {
		case c == '&':
			value = false
		case c == '=' && !value:
			value = true
			names = append(names, "=[redacted]"...)
		}
		if !value {
			names = append(names, c)
		}
	}
	return printable(shown.String() + "?" + string(names))
}

// printable replaces what is not UTF-8: a redirect may hold any byte, and protobuf refuses them.
func printable(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
