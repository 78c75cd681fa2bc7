package extract

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of feeds and sitemaps.
const (
	maxFeed    = 4 << 20 // bytes
	maxEntries = 5000
	maxXMLDeep = 64
	maxSummary = 500 // characters
)

// feed holds what RSS, RDF, Atom and sitemaps have in common.
type feed struct {
	title   string
	link    string
	entries []entry
	cut     bool
}

type entry struct {
	title, link, date string
	summary, content  string // content stands for a missing summary
}

// renderFeed fills content from a feed or a sitemap, and reports whether d is one.
func renderFeed(ctx context.Context, content *Content, d document, o Options) (bool, error) {
	f, ok := readFeed(d)
	if !ok {
		return false, nil
	}
	if f.cut {
		content.warn(WarnIncomplete)
	}
	content.Title = f.title
	content.Metadata.Canonical = f.link
	list := newLinkList()
	for _, e := range f.entries {
		if e.link != "" {
			list.add(e.title, e.link)
		}
	}
	switch o.Format {
	case Links:
		return true, writeLinks(content, list)
	case JSON:
		if list.full {
			content.warn(WarnIncomplete)
		}
		return true, describe(content, list.links)
	case Text, HTML:
		content.Format = o.Format
	default:
		content.Format = Markdown
	}
	return true, f.write(ctx, content)
}

// write writes the entries as a list.
func (f feed) write(ctx context.Context, content *Content) error {
	root := element(atom.Div)
	if f.title != "" {
		root.AppendChild(element(atom.H1, text(f.title)))
	}
	list := element(atom.Ul)
	for _, e := range f.entries {
		name := text(cmp.Or(e.title, e.link))
		if e.link != "" {
			link := element(atom.A, name)
			link.Attr = []html.Attribute{{Key: "href", Val: e.link}}
			name = link
		}
		item := element(atom.Li, name)
		for _, more := range []string{e.date, cmp.Or(e.summary, e.content)} {
			if more != "" {
				item.AppendChild(element(atom.P, text(more)))
			}
		}
		list.AppendChild(item)
	}
	root.AppendChild(list)
	content.cleanTree(root)
	return writeForm(ctx, content, root)
}

func element(a atom.Atom, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
	for _, child := range children {
		n.AppendChild(child)
	}
	return n
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

// feedReader collects a feed from XML elements.
type feedReader struct {
	feed

	base  *url.URL
	path  []string
	now   entry
	prose int // levels of the path down to the text element that is being read; 0 outside of one
	chars strings.Builder
}

// proseElements are the elements whose text may contain markup.
var proseElements = map[string]bool{"title": true, "summary": true, "description": true, "content": true, "encoded": true}

// entryElements are the elements that hold one entry.
var entryElements = map[string]bool{"item": true, "entry": true, "url": true, "sitemap": true}

// rootElements are the root elements of feeds and sitemaps.
var rootElements = map[string]bool{"rss": true, "feed": true, "RDF": true, "urlset": true, "sitemapindex": true}

func readFeed(d document) (feed, bool) {
	decoder := xml.NewDecoder(strings.NewReader(withoutControls(d.text[:min(len(d.text), maxFeed)])))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it has been converted to UTF-8
	r := feedReader{base: d.url, feed: feed{cut: len(d.text) > maxFeed}}
	for {
		token, err := decoder.Token()
		if err != nil { // the end, or an error: what was found so far counts
			r.cut = r.cut || !errors.Is(err, io.EOF)
			return r.feed, r.title != "" || len(r.entries) > 0
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(r.path) == 0 && !rootElements[t.Name.Local] {
				return feed{}, false
			}
			if len(r.path) == maxXMLDeep || len(r.entries) == maxEntries {
				r.cut = true
				return r.feed, true
			}
			r.start(elementName(t.Name), t.Attr)
		case xml.EndElement:
			r.end(elementName(t.Name))
		case xml.CharData:
			if r.chars.Len() < 64<<10 {
				r.chars.Write(t)
			}
		}
	}
}

// withoutControls removes control characters, at which parsing XML would end; some feeds have them.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, text)
}

// elementName returns the name of an element. Its namespace, which feeds get wrong, only tells a picture or a film of Media RSS from the text of Atom.
func elementName(name xml.Name) string {
	if name.Local == "content" && (name.Space == "media" || strings.Contains(name.Space, "/mrss")) {
		return "media:content"
	}
	return name.Local
}

func (r *feedReader) start(name string, attributes []xml.Attr) {
	r.path = append(r.path, name)
	if r.prose > 0 {
		r.part(name)
		return
	}
	if proseElements[name] {
		r.prose = len(r.path)
	}
	r.chars.Reset()
	if entryElements[name] {
		r.now = entry{}
	}
	if name != "link" {
		return
	}
	href, rel := "", "alternate" // of Atom, where it is an attribute
	for _, a := range attributes {
		switch a.Name.Local {
		case "href":
			href = a.Value
		case "rel":
			rel = a.Value
		}
	}
	if rel == "alternate" {
		r.addLink(href)
	}
}

// part separates text where markup does.
func (r *feedReader) part(name string) {
	if lineBreaking[name] {
		r.chars.WriteByte(' ')
	}
}

// addLink keeps the first link of an entry, or of the feed.
func (r *feedReader) addLink(href string) {
	link, ok := resolve(r.base, href)
	switch {
	case !ok:
	case r.inEntry() && r.now.link == "":
		r.now.link = link
	case !r.inEntry() && r.link == "":
		r.link = link
	}
}

func (r *feedReader) inEntry() bool {
	for _, name := range r.path {
		if entryElements[name] {
			return true
		}
	}
	return false
}

func (r *feedReader) end(name string) {
	if len(r.path) > r.prose && r.prose > 0 {
		r.path = r.path[:len(r.path)-1]
		r.part(name)
		return
	}
	r.prose = 0
	value := r.chars.String()
	r.chars.Reset()
	parent := ""
	if len(r.path) > 1 {
		parent = r.path[len(r.path)-2]
	}
	if len(r.path) > 0 {
		r.path = r.path[:len(r.path)-1]
	}
	if entryElements[name] {
		if r.now.title != "" || r.now.link != "" || r.now.summary != "" || r.now.content != "" {
			r.entries = append(r.entries, r.now)
		}
		return
	}
	if entryElements[parent] {
		r.field(name, value)
	} else {
		r.about(parent, name, value)
	}
}

// about reads an element outside of entries.
func (r *feedReader) about(parent, name, value string) {
	if (parent == "channel" || parent == "feed") && name == "title" && r.title == "" {
		r.title = line(tokenText(value), maxTitle)
	}
	if parent == "channel" && name == "link" {
		r.addLink(value)
	}
}

// field reads an element of an entry.
func (r *feedReader) field(name, value string) {
	switch name {
	case "title":
		r.now.title = line(tokenText(value), maxLinkText)
	case "link", "loc":
		if link, ok := resolve(r.base, value); ok && r.now.link == "" {
			r.now.link = link
		}
	case "guid":
		if link, ok := resolve(r.base, value); ok && r.now.link == "" && strings.HasPrefix(value, "http") {
			r.now.link = link
		}
	case "pubDate", "published", "updated", "date", "lastmod":
		if r.now.date == "" {
			r.now.date = line(value, 100)
		}
	case "description", "summary":
		r.now.summary = line(tokenText(value), maxSummary)
	case "content", "encoded": // the whole text, in Atom and as content:encoded in RSS
		r.now.content = line(tokenText(value), maxSummary)
	}
}
