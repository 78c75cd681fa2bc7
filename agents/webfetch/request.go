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

// Limits of a fetch that names none, and the most that one may ask for.
const (
	DefaultTimeout       = 30 * time.Second
	MaxTimeout           = 5 * time.Minute
	DefaultMaxSize       = 1 << 20  // bytes
	MaxMaxSize           = 50 << 20 // bytes
	DefaultMaxCharacters = 50_000
	MaxMaxCharacters     = 10_000_000
)

// Format is what to make of a page.
type Format = extract.Format

// The formats. The empty one means the profile's.
const (
	Markdown = extract.Markdown
	Text     = extract.Text
	HTML     = extract.HTML
	JSON     = extract.JSON
	Links    = extract.Links
	Raw      = extract.Raw
)

// Render says whether a browser shows the page first.
type Render string

// The ways to render. The empty one means never.
const (
	RenderNever  Render = "never"
	RenderAuto   Render = "auto" // only when the page has next to no text without its scripts, and a browser is there
	RenderAlways Render = "always"
)

// Limits bound one fetch. A zero field means the default.
type Limits struct {
	Timeout       time.Duration // in all: more than 0, at most MaxTimeout
	MaxSize       int64         // bytes of the body, compressed and not: at most MaxMaxSize
	MaxCharacters int           // characters of content returned: at most MaxMaxCharacters
}

// or fills zero fields from defaults.
func (l Limits) or(defaults Limits) Limits {
	return Limits{
		Timeout:       cmp.Or(l.Timeout, defaults.Timeout),
		MaxSize:       cmp.Or(l.MaxSize, defaults.MaxSize),
		MaxCharacters: cmp.Or(l.MaxCharacters, defaults.MaxCharacters),
	}
}

// within lowers l to the most.
func (l Limits) within(most Limits) Limits {
	return Limits{min(l.Timeout, most.Timeout), min(l.MaxSize, most.MaxSize), min(l.MaxCharacters, most.MaxCharacters)}
}

// check returns a fault unless l is within the most.
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

// Request names a page and what to make of it. Zero fields mean the profile's defaults.
type Request struct {
	URL           string // absolute, http or https, at most 8,192 bytes
	Format        Format
	Timeout       time.Duration
	MaxSize       int64
	MaxCharacters int
	StartIndex    int    // the first character of the content to return; next_index of the answer before
	ContentSHA256 string // of the answer before: another content is an error instead of a seam

	Selector string // CSS: only the elements that match
	XPath    string // the same in XPath
	JSONPath string // RFC 9535: only the values that match

	NoRedirects bool              // a redirect is the answer itself
	Headers     map[string]string // sent to the origin of URL only
	Render      Render
	Engine      Engine
	NoCache     bool   // do not answer from the cache
	Session     string // cookies are kept among the fetches of one session; empty keeps none
	Credential  string // name of a configured credential

	Profile  string // empty: the Fetcher's
	Language string // an Accept-Language header or a locale, for messages
	Tenant   string // whose allowlist; empty: the default one
	Owner    string // whose session, within the tenant: the way that the request came, and who sent it. No sender writes it.
}

// parseURL reads an absolute URL whose host may be written in any script.
func parseURL(raw string) (*url.URL, error) {
	if len(raw) > netguard.MaxURL {
		return nil, fault.Invalid("url", ReasonURLInvalid, "the URL is longer than %d bytes", netguard.MaxURL)
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || !u.IsAbs() {
		return nil, fault.Invalid("url", ReasonURLInvalid, "the URL cannot be read; give an absolute one such as https://example.com/page")
	}
	return u, normalise(u)
}

// normalise checks the scheme of u and writes its host in ASCII.
func normalise(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fault.Invalid("url", ReasonScheme, cannotFetch+"%s: only http:// and https:// pages can be read", Redact(u)).With("url", Redact(u))
	}
	if strings.IndexFunc(u.Host, func(r rune) bool { return r > '~' }) < 0 {
		return nil // leave every odd ASCII host to the guard
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
