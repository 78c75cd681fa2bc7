package webfetch

import (
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// The reasons of this package's faults.
const (
	ReasonRequestInvalid   = "REQUEST_INVALID"             // InvalidArgument: a limit or the format of the request is out of bounds
	ReasonURLInvalid       = netguard.ReasonURLInvalid     // InvalidArgument: not a URL that can be fetched
	ReasonScheme           = "SCHEME_NOT_ALLOWED"          // InvalidArgument: neither http nor https
	ReasonDomain           = "DOMAIN_NOT_ALLOWED"          // PermissionDenied: the origin is not on the list of allowed ones
	ReasonAddressBlocked   = netguard.ReasonAddressBlocked // PermissionDenied: the address or the port is not a public web server's
	ReasonTimeout          = "FETCH_TIMEOUT"               // DeadlineExceeded: the whole fetch took longer than allowed
	ReasonTooManyRedirects = "TOO_MANY_REDIRECTS"          // FailedPrecondition: more than five
	ReasonStatus           = "HTTP_STATUS"                 // NotFound, Unavailable or FailedPrecondition: the answer was no success
	ReasonTooLarge         = "BODY_TOO_LARGE"              // FailedPrecondition: the body is longer than max_size
	ReasonContentType      = "CONTENT_TYPE_NOT_SUPPORTED"  // FailedPrecondition: neither HTML nor text nor JSON
	ReasonEncoding         = "CONTENT_ENCODING_INVALID"    // FailedPrecondition: not gzip, or gzip that cannot be read
	ReasonTooComplex       = "DOCUMENT_TOO_COMPLEX"        // FailedPrecondition: the HTML would cost too much to convert
	ReasonNetwork          = "NETWORK_ERROR"               // Unavailable: no answer, or one that broke off
)

// failure returns a fault about u: format and args say what is wrong and what to do.
func failure(kind fault.Kind, reason string, u *url.URL, format string, args ...any) *fault.Error {
	where := Redact(u)
	return fault.New(kind, reason, "cannot fetch %s: "+format, append([]any{where}, args...)...).With("url", where)
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
