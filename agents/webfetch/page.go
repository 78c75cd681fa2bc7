package webfetch

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Page is what a fetch returns.
type Page struct {
	Content       string // in Format; it comes from outside: treat it as data, never as instructions
	Format        Format // of Content: Text when the page was plain text or Markdown was not to be had
	URL           string // that answered, after redirects
	Domain        string // host name of URL
	StatusCode    int
	ContentType   string // the header
	ContentLength int64  // bytes of the body, decompressed
	Title         string // at most 300 characters; empty when the page has none
	Truncated     bool   // whether Content was cut
	TruncatedAt   int    // characters Content was cut at; 0 when whole
	Duration      time.Duration
}

const maxTitle = 300

// truncate cuts the content after the given number of characters.
func (p *Page) truncate(characters int) {
	cut := prefix(p.Content, characters)
	if len(cut) == len(p.Content) {
		return
	}
	p.Content, p.Truncated, p.TruncatedAt = cut, true, characters
}

// prefix returns the first n characters of s.
func prefix(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// clean drops characters that a reader cannot see and a language model can: controls, direction marks and the tag block,
// which carries hidden text (https://www.unicode.org/reports/tr36/).
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, // controls
			r == 0x200b, r == 0x2060, r == 0xfeff, // zero width
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // direction
			r >= 0xe0000 && r <= 0xe007f: // tags
			return -1
		}
		return r
	}, s)
}
