package extract

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Format is the form of a result.
type Format string

// Formats. An empty one means Markdown.
const (
	Markdown Format = "markdown" // the main content as CommonMark with tables
	Text     Format = "text"     // the main content as plain text
	HTML     Format = "html"     // the main content as HTML, without scripts and with absolute links
	JSON     Format = "json"     // a JSON document indented; any other document as a JSON object that describes it
	Links    Format = "links"    // a JSON array of {text, href}
	Raw      Format = "raw"      // the document unchanged except for decoding to UTF-8
)

// Check returns a fault unless f is one of the formats, or empty.
func (f Format) Check() error {
	switch f {
	case "", Markdown, Text, HTML, JSON, Links, Raw:
		return nil
	}
	return fault.Invalid("format", ReasonFormat, "format must be markdown, text, html, json, links or raw")
}

// Reasons of this package's faults.
const (
	ReasonFormat      = "REQUEST_INVALID"            // InvalidArgument: unknown format
	ReasonContentType = "CONTENT_TYPE_NOT_SUPPORTED" // FailedPrecondition: a type of document that cannot be read
	ReasonInvalid     = "DOCUMENT_INVALID"           // FailedPrecondition: broken, encrypted or without text
	ReasonTooComplex  = "DOCUMENT_TOO_COMPLEX"       // FailedPrecondition: selecting from it, or reading it at all, is too much work
	ReasonSelector    = "SELECTOR_INVALID"           // InvalidArgument: the selector is invalid, or does not fit the type of the document
	ReasonNoMatch     = "NO_MATCH"                   // NotFound: the selector matches nothing in the document
)

// Source is a document as received.
type Source struct {
	Data        []byte   // decompressed
	ContentType string   // as in the header; empty: to be guessed
	URL         *url.URL // base of relative links
}

// IsHTML reports whether s is an HTML document.
func (s Source) IsHTML() bool {
	kind, _ := kindOf(s)
	return kind == kindHTML
}

// Options say what to extract. The zero value means the main content as Markdown.
type Options struct {
	Format   Format
	Selector Selector // if set, only the part that matches
	Verbatim bool     // Text and HTML are made of HTML and PDF only, and JSON of JSON only; any other document is returned as the text that it is
}

// asText reports whether a document is returned as the text that it is.
func (o Options) asText(k kind, mediaType string) bool {
	if !o.Verbatim || o.Selector.Expression != "" || k == kindPDF {
		return false
	}
	html := k == kindHTML || mediaType == "text/html" // which may be a feed
	return o.Format == JSON && k != kindJSON || (o.Format == Text || o.Format == HTML) && !html
}

// Content is the result of an extraction.
type Content struct {
	Text      string    // in Format
	Format    Format    // of Text; for plain text documents Text instead of Markdown or HTML
	MediaType string    // without parameters, lower case
	Charset   string    // from which the text was decoded, as the WHATWG encoding standard names it, in lower case: utf-8, shift_jis, windows-1252…
	Title     string    // at most 300 characters; empty when it has none
	Language  string    // BCP 47, as declared; empty when not declared
	Metadata  Metadata  // what the document says about itself
	Extractor Extractor // how Text was found
	Warnings  []Warning // what a reader should know about Text
}

// Extractor is the method by which content was found.
type Extractor string

// Extractors.
const (
	ByArticle  Extractor = "article"  // the readability stage
	ByPage     Extractor = "page"     // the page without its boilerplate
	BySelector Extractor = "selector" // the part that matches the caller's selector
	ByTokens   Extractor = "tokens"   // all text, read from the tokens
	ByDocument Extractor = "document" // the whole document, which has no boilerplate
)

// Warning is a code for something that readers should know.
type Warning string

// Warnings.
const (
	WarnComplex    Warning = "document_too_complex"    // converted in a plainer way than requested, to bound the work
	WarnHidden     Warning = "hidden_content_included" // the page streams its content in hidden blocks, hides what a control opens, hides so much that a script must show it, or has most of its text for readers without scripts; it was kept
	WarnInvisible  Warning = "invisible_characters_removed"
	WarnIncomplete Warning = "content_incomplete" // a limit was reached; the rest was left out
)

func (c *Content) warn(w Warning) {
	if !slices.Contains(c.Warnings, w) {
		c.Warnings = append(c.Warnings, w)
	}
}

// Extract returns the content of source. Its CPU time and memory are bounded by the size of source. If ctx ends, it stops at the next step and
// returns an error.
func Extract(ctx context.Context, source Source, o Options) (Content, error) {
	o.Format = cmp.Or(o.Format, Markdown)
	if err := o.Format.Check(); err != nil {
		return Content{}, err
	}
	if source.URL == nil {
		source.URL = &url.URL{}
	}
	kind, mediaType := kindOf(source)
	content := Content{MediaType: mediaType, Format: o.Format, Extractor: ByDocument}
	if kind == kindPDF {
		err := renderPDF(ctx, &content, source, o)
		return content, err
	}
	if kind == kindUnknown && o.Format != Raw {
		return content, fault.New(fault.FailedPrecondition, ReasonContentType, "it is %q, and only HTML, text, JSON, feeds and PDF can be read; look for a page about it", bounded.Characters(mediaType, 80))
	}
	text, name := decode(source.Data, source.ContentType)
	content.Charset = name
	if o.Format == Raw && o.Selector.Expression == "" {
		content.Text = text
		return content, nil
	}
	if isBinary(source.Data, name) {
		return content, fault.New(fault.FailedPrecondition, ReasonContentType, "its server calls it %q, but it is not text; look for a page about it", bounded.Characters(mediaType, 80))
	}
	if o.asText(kind, mediaType) {
		kind, o.Format = kindText, Text
	}
	err := render(ctx, &content, document{kind: kind, url: source.URL, text: text}, o)
	if err != nil {
		return content, err
	}
	content.cleanText()
	content.Text = strings.Trim(content.Text, "\n")
	return content, ctx.Err()
}

// document is a source after decoding.
type document struct {
	kind kind
	url  *url.URL
	text string
}

// render fills content from a text document.
func render(ctx context.Context, content *Content, d document, o Options) error {
	if o.Selector.Kind == JSONPath && beginsJSON(d.text) {
		d.kind = kindJSON // which many servers and hosts of files call text or HTML
	}
	switch d.kind {
	case kindJSON:
		return renderJSON(ctx, content, d, o)
	case kindHTML:
		return renderHTML(ctx, content, d, o)
	case kindXML:
		if o.Selector.Expression == "" {
			if isFeed, err := renderFeed(ctx, content, d, o); isFeed {
				return err
			}
		}
		return renderText(content, d, o)
	default:
		return renderText(content, d, o)
	}
}

// renderText fills content from text without markup.
func renderText(content *Content, d document, o Options) error {
	if o.Selector.Expression != "" {
		return fault.New(fault.InvalidArgument, ReasonSelector, "the document is %s, and selectors read HTML and JSON only; leave the selector out", content.MediaType)
	}
	content.Text, content.Format = d.text, Text
	switch o.Format {
	case Markdown:
		if content.MediaType == "text/markdown" {
			content.Format = Markdown
		}
	case Links:
		return writeLinks(content, plainLinks(d.text))
	case JSON:
		return describe(content, nil)
	default:
	}
	return nil
}
