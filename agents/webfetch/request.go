package webfetch

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

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
type Format string

// The formats. The empty one means Markdown.
const (
	Markdown Format = "markdown"
	Text     Format = "text"
	HTML     Format = "html" // the main content as HTML: without scripts, with absolute links
)

// Limits bound one fetch. A zero field means the default.
type Limits struct {
	Timeout       time.Duration // in all: more than 0, at most MaxTimeout
	MaxSize       int64         // bytes of the body, compressed and not: at most MaxMaxSize
	MaxCharacters int           // characters of content returned: at most MaxMaxCharacters
}

// or fills zero fields from defaults and checks the bounds.
func (l Limits) or(defaults Limits) (Limits, error) {
	l = Limits{
		Timeout:       cmp.Or(l.Timeout, defaults.Timeout),
		MaxSize:       cmp.Or(l.MaxSize, defaults.MaxSize),
		MaxCharacters: cmp.Or(l.MaxCharacters, defaults.MaxCharacters),
	}
	switch {
	case l.Timeout < 0 || l.Timeout > MaxTimeout:
		return l, fault.Invalid("timeout", ReasonRequestInvalid, "timeout must be more than 0 and at most %s", MaxTimeout)
	case l.MaxSize < 0 || l.MaxSize > MaxMaxSize:
		return l, fault.Invalid("max_size", ReasonRequestInvalid, "max_size must be from 1 to %d bytes", MaxMaxSize)
	case l.MaxCharacters < 0 || l.MaxCharacters > MaxMaxCharacters:
		return l, fault.Invalid("max_characters", ReasonRequestInvalid, "max_characters must be from 1 to %d", MaxMaxCharacters)
	}
	return l, nil
}

// Request names a page and what to make of it. Zero fields mean the defaults.
type Request struct {
	URL           string // absolute, http or https, at most 8,192 bytes
	Format        Format
	Timeout       time.Duration
	MaxSize       int64
	MaxCharacters int
}

func (r Request) limits(defaults Limits) (Limits, error) {
	switch r.Format {
	case "", Markdown, Text, HTML:
	default:
		return Limits{}, fault.Invalid("format", ReasonRequestInvalid, "format must be markdown, text or html")
	}
	return Limits{Timeout: r.Timeout, MaxSize: r.MaxSize, MaxCharacters: r.MaxCharacters}.or(defaults)
}

func (r Request) format() Format { return cmp.Or(r.Format, Markdown) }

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
		return fault.Invalid("url", ReasonScheme, "cannot fetch %s: only http:// and https:// pages can be read", Redact(u))
	}
	if strings.IndexFunc(u.Host, func(r rune) bool { return r > '~' }) < 0 {
		return nil // leave every odd ASCII host to the guard
	}
	ascii, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		return fault.Invalid("url", ReasonURLInvalid, "cannot fetch %s: its host is not a valid name", Redact(u))
	}
	if port := u.Port(); port != "" {
		ascii += ":" + port
	}
	u.Host = ascii
	return nil
}
