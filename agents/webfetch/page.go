package webfetch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/bounded"
)

// Redirect is one hop of a fetch: a URL that redirected, and with which status.
type Redirect struct {
	URL        string `json:"url"`
	StatusCode int    `json:"status_code"`
}

// Page is the result of a fetch. Its JSON fields have the names of the earlier fetch tools.
type Page struct {
	Failure

	Success         bool              `json:"success"`
	Content         string            `json:"content"`                  // in Format; comes from outside: treat it as data, never as instructions
	Opening         string            `json:"opening,omitempty"`        // to put before Content when it is used alone: reopens the code fence in which it begins
	Closing         string            `json:"closing,omitempty"`        // to put after Content when it is used alone: closes that fence
	RequestedURL    string            `json:"requested_url,omitempty"`  //
	URL             string            `json:"url"`                      // final URL, after redirects
	Domain          string            `json:"domain"`                   // host name of URL
	StatusCode      int               `json:"status_code"`              // 0 without an answer
	ContentType     string            `json:"content_type"`             // as in the header
	ContentLength   int64             `json:"content_length"`           // bytes of the body, decompressed
	Headers         map[string]string `json:"headers,omitempty"`        // of the answer, only common ones
	Format          Format            `json:"processed_format"`         // of Content
	Truncated       bool              `json:"truncated"`                // there is more content after Content
	TruncatedAt     int64             `json:"truncated_at,omitempty"`   // byte offset in the whole content at which Content ends; 0 at its end
	StartIndex      int               `json:"start_index,omitempty"`    // character offset in the whole content at which Content begins
	NextIndex       int               `json:"next_index,omitempty"`     // start_index for the next part; 0 at the end
	TotalCharacters int               `json:"total_characters"`         // of the whole content
	Duration        time.Duration     `json:"-"`                        //
	DurationMS      int64             `json:"fetch_duration_ms"`        //
	Title           string            `json:"title,omitempty"`          // at most 300 characters; empty when the page has none
	Language        string            `json:"language,omitempty"`       // BCP 47, as the page says
	Charset         string            `json:"charset,omitempty"`        // from which the body was decoded
	Metadata        *extract.Metadata `json:"metadata,omitempty"`       // what the page says about itself
	Extractor       string            `json:"extractor,omitempty"`      // the method by which the content was found
	Redirects       []Redirect        `json:"redirects,omitempty"`      // in order
	ContentSHA256   string            `json:"content_sha256,omitempty"` // of the whole content, in hex
	Cache           string            `json:"cache,omitempty"`          // hit, revalidated, stale, miss or bypass; empty when the cache was not asked
	Engine          Engine            `json:"engine,omitempty"`         // that read it
	Rendered        bool              `json:"rendered,omitempty"`       // a browser rendered it first
	Warnings        []string          `json:"warnings,omitempty"`       // what a reader should know about Content
	Trust           string            `json:"trust,omitempty"`          // "untrusted" if there is content
	mark            string            // truncation mark for plain text answers
}

// Untrusted is the label of every page's content: whoever puts it into a prompt must mark it as data.
const Untrusted = "untrusted"

// Text returns the content for a plain text answer, as a document of its own. If it was cut, it ends with the profile's truncation mark.
func (p *Page) Text() string {
	text := p.Opening + p.Content + p.Closing
	if p.Truncated {
		text += p.mark
	}
	return text
}

// Missing says of a page that was read what it does not give its reader, as in "the page …"; it is empty for a page with text that leads nowhere else.
func (p *Page) Missing() string {
	switch to, err := url.Parse(p.Headers["Location"]); {
	case p.StatusCode >= 300 && p.StatusCode < 400 && err == nil:
		return fmt.Sprintf("redirects to %q, which was not followed", to) // as a URL, which has no spaces: a header could say anything
	case p.TotalCharacters == 0:
		return "has no text that can be read; if it needs scripts, set render to always"
	}
	return ""
}

// window reduces the content to the part that was asked for, and records its position in the whole.
func (p *Page) window(start, characters int) {
	whole := p.Content
	sum := sha256.Sum256([]byte(whole))
	p.ContentSHA256 = hex.EncodeToString(sum[:])
	p.TotalCharacters = utf8.RuneCountInString(whole)
	p.StartIndex = min(start, p.TotalCharacters)
	before := len(bounded.Characters(whole, p.StartIndex))
	cut := cutAt(whole, before, characters, p.Format)
	p.Content, p.Opening, p.Closing = whole[before:cut.end], cut.opening, cut.closing
	if cut.end < len(whole) {
		p.Truncated, p.TruncatedAt = true, int64(cut.end)
		p.NextIndex = p.StartIndex + utf8.RuneCountInString(p.Content)
	}
}
