package webfetch

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Default and maximum limits of a fetch.
const (
	DefaultTimeout       = 30 * time.Second
	MaxTimeout           = 5 * time.Minute
	DefaultMaxSize       = 1 << 20  // bytes
	MaxMaxSize           = 50 << 20 // bytes
	DefaultMaxCharacters = 50_000
	MaxMaxCharacters     = 10_000_000
)

// Format is the format of a page's content.
type Format = extract.Format

// Formats. An empty one means the profile's.
const (
	Markdown = extract.Markdown
	Text     = extract.Text
	HTML     = extract.HTML
	JSON     = extract.JSON
	Links    = extract.Links
	Raw      = extract.Raw
)

// Render says whether a browser renders the page first.
type Render string

// When to render. An empty value means never.
const (
	RenderNever  Render = "never"
	RenderAuto   Render = "auto" // only if there is a browser and the page has almost no text without its scripts
	RenderAlways Render = "always"
)

// Limits bound one fetch. A zero field means the default.
type Limits struct {
	Timeout       time.Duration // for everything: more than 0, at most MaxTimeout
	MaxSize       int64         // bytes of the body, before and after decompression: at most MaxMaxSize
	MaxCharacters int           // characters of returned content: at most MaxMaxCharacters
}

// or returns l with zero fields replaced by those of defaults.
func (l Limits) or(defaults Limits) Limits {
	return Limits{
		Timeout:       cmp.Or(l.Timeout, defaults.Timeout),
		MaxSize:       cmp.Or(l.MaxSize, defaults.MaxSize),
		MaxCharacters: cmp.Or(l.MaxCharacters, defaults.MaxCharacters),
	}
}

// within returns l with each field lowered to that of most.
func (l Limits) within(most Limits) Limits {
	return Limits{min(l.Timeout, most.Timeout), min(l.MaxSize, most.MaxSize), min(l.MaxCharacters, most.MaxCharacters)}
}

// check returns a fault if a field of l is above that of most.
func (l Limits) check(most Limits) error {
	switch {
	case l.Timeout < 0 || l.Timeout > most.Timeout:
		return fault.Invalid("timeout", ReasonRequestInvalid, "timeout must be more than 0 and at most %s", most.Timeout)
	case l.MaxSize < 0 || l.MaxSize > most.MaxSize:
		return fault.Invalid("max_size", ReasonRequestInvalid, "max_size must be from 1 to %d bytes", most.MaxSize)
	case l.MaxCharacters < 0 || l.MaxCharacters > most.MaxCharacters:
		return fault.Invalid("max_characters", ReasonRequestInvalid, "max_characters must be from 1 to %d", most.MaxCharacters)
	}
	return nil
}

// Request names a page and what to do with it. Zero fields mean the profile's defaults.
type Request struct {
	URL           string // absolute, http or https, at most 8,192 bytes
	Format        Format
	Timeout       time.Duration
	MaxSize       int64
	MaxCharacters int
	StartIndex    int    // first character of the content to return; next_index of the previous answer
	ContentSHA256 string // of the previous answer: if the content has changed since, that is an error

	Selector string // CSS selector: only elements that match
	XPath    string // the same in XPath
	JSONPath string // RFC 9535: only the values that match

	NoRedirects bool              // return a redirect instead of following it
	Headers     map[string]string // sent to the origin of URL only
	Render      Render
	Engine      Engine
	NoCache     bool   // do not answer from the cache
	Session     string // fetches with the same name share cookies; empty keeps them along the fetch's own redirects only
	Credential  string // name of a configured credential

	Profile  string // empty: the Fetcher's
	Language string // an Accept-Language header or a locale, for messages
	Tenant   string // tenant of the allowlist; empty: the default tenant
	Owner    string // owner of the session within the tenant: the interface and the sender. Set by the server, never by the sender
}

// parseURL parses an absolute URL, whose host may be in any script.
func parseURL(raw string) (*url.URL, error) {
	if len(raw) > netguard.MaxURL {
		return nil, fault.Invalid("url", ReasonURLInvalid, "the URL is longer than %d bytes", netguard.MaxURL)
	}
	u, err := extract.ParseURL(strings.TrimSpace(raw))
	if err != nil || !u.IsAbs() {
		return nil, fault.Invalid("url", ReasonURLInvalid, "the URL cannot be read; give an absolute one such as https://example.com/page")
	}
	return u, normalise(u)
}

// normalise checks the scheme of u, converts its host to ASCII and takes the dots out of its path.
func normalise(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fault.Invalid("url", ReasonScheme, cannotFetch+"%s: only http:// and https:// pages can be read", Redact(u)).With("url", Redact(u))
	}
	removeDots(u)
	if strings.IndexFunc(u.Host, func(r rune) bool { return r > '~' }) < 0 {
		return nil // odd ASCII hosts are left to the guard
	}
	ascii, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		return fault.Invalid("url", ReasonURLInvalid, cannotFetch+"%s: its host is not a valid name", Redact(u)).With("url", Redact(u))
	}
	if port := u.Port(); port != "" {
		ascii += ":" + port
	}
	u.Host = ascii
	return nil
}

// removeDots removes the segments . and .. of u's path, also where they are percent-encoded, as browsers do (https://url.spec.whatwg.org/#path-state). Many
// servers do, too, so that otherwise /a/../b would be the page /b and pass for one of /a with robots.txt.
func removeDots(u *url.URL) {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, segment := range segments {
		if dots := encodedDot.Replace(segment); dots == "." || dots == ".." {
			segments[i] = dots
		}
	}
	escaped := strings.Join(segments, "/")
	if decoded, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = decoded, escaped
		*u = *u.ResolveReference(u)
	}
}

var encodedDot = strings.NewReplacer("%2e", ".", "%2E", ".")
