package extract

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/quorate/quorate/platform/bounded"
)

// feedReader collects a feed from XML elements.
type feedReader struct {
	feed

	path  []level
	now   entry
	prose int  // levels of the path down to the text element that is being read; 0 outside of one
	dark  int  // levels of the path down to the element of the text that its readers do not see; 0 outside of one
	plain bool // that text is no HTML
	chars strings.Builder
}

// level is an element that is open.
type level struct {
	name string
	base *url.URL // of links in it
}

// proseElements are the elements whose text may contain markup.
var proseElements = wordSet("title summary description content encoded")

// htmlTypes are the types of Atom's texts of which the characters are HTML. Others are as they stand (RFC 4287, 3.1.1); RSS says nothing about it.
var htmlTypes = wordSet("html text/html")

// entryElements are the elements that hold one entry.
var entryElements = wordSet("item entry url sitemap")

// rootElements are the root elements of feeds and sitemaps, in lower case.
var rootElements = wordSet("rss feed rdf urlset sitemapindex")

func readFeed(d document) (feed, bool) {
	decoder := xml.NewDecoder(strings.NewReader(withoutControls(d.text[:min(len(d.text), maxFeed)])))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it has been converted to UTF-8
	r := feedReader{feed: feed{cut: len(d.text) > maxFeed}}
	for {
		token, err := decoder.Token()
		if err != nil { // the end, or an error: what was found so far counts
			r.cut = r.cut || !errors.Is(err, io.EOF)
			return r.feed, r.title != "" || len(r.entries) > 0
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(r.path) == 0 && !rootElements[strings.ToLower(t.Name.Local)] {
				return feed{}, false
			}
			if len(r.path) == maxXMLDeep || len(r.entries) == maxEntries {
				r.cut = true
				return r.feed, true
			}
			r.start(elementName(t.Name), t.Attr, d.url)
		case xml.EndElement:
			r.end(elementName(t.Name))
		case xml.CharData:
			if r.dark == 0 && r.chars.Len() < 64<<10 {
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

// elementName returns the name of an element. Its namespace, which feeds get wrong, only tells what Media RSS says about a picture or a film from what the
// feed says about the entry.
func elementName(name xml.Name) string {
	if name.Space == "media" || strings.Contains(name.Space, "/mrss") {
		return "media:" + name.Local
	}
	return name.Local
}

// start reads the beginning of an element. Links of the outermost one are relative to base.
func (r *feedReader) start(name string, attributes []xml.Attr, base *url.URL) {
	parent := ""
	if n := len(r.path); n > 0 {
		parent, base = r.path[n-1].name, r.path[n-1].base
	}
	r.path = append(r.path, level{name, baseIn(attributes, base)})
	if r.prose > 0 {
		r.part(name)
		if r.dark == 0 && hidesBy(attributes) {
			r.dark = len(r.path)
		}
		return
	}
	if proseElements[name] {
		r.prose = len(r.path)
		r.plain = r.path[0].name == "feed" && !htmlTypes[attributeOf(attributes, "type")]
	}
	r.chars.Reset()
	switch {
	case entryElements[name]:
		r.now = entry{}
	case name == "link": // of Atom
		if rel := attributeOf(attributes, "rel"); rel == "enclosure" {
			r.addEnclosure(parent, attributeOf(attributes, "href"))
		} else if rel == "" || rel == "alternate" {
			r.addLink(parent, attributeOf(attributes, "href"))
		}
	case name == "enclosure": // of RSS
		r.addEnclosure(parent, attributeOf(attributes, "url"))
	}
}

// baseIn returns what links are relative to in an element with attributes (https://www.w3.org/TR/xmlbase/).
func baseIn(attributes []xml.Attr, around *url.URL) *url.URL {
	for _, a := range attributes {
		if a.Name.Local != "base" || a.Name.Space == "" || len(a.Value) > maxLink {
			continue
		}
		if base, err := around.Parse(strings.TrimSpace(a.Value)); err == nil {
			return base
		}
	}
	return around
}

// attributeOf returns the value of an attribute, or nothing.
func attributeOf(attributes []xml.Attr, name string) string {
	for _, a := range attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// hidesBy reports whether attributes of XHTML hide an element from readers.
func hidesBy(attributes []xml.Attr) bool {
	var list []html.Attribute
	for _, a := range attributes {
		list = append(list, html.Attribute{Key: a.Name.Local, Val: a.Value})
	}
	return invisibleByAttribute(list)
}

// part separates text where markup does.
func (r *feedReader) part(name string) {
	if lineBreaking[name] {
		r.chars.WriteByte(' ')
	}
}

// addLink keeps the first link of an entry, or of the feed.
func (r *feedReader) addLink(parent, href string) {
	link, ok := resolve(r.base(), href)
	switch {
	case !ok:
	case entryElements[parent] && r.now.link == "":
		r.now.link = link
	case (parent == "channel" || parent == "feed") && r.link == "":
		r.link = link
	}
}

// addEnclosure keeps the first enclosure of an entry.
func (r *feedReader) addEnclosure(parent, href string) {
	if link, ok := resolve(r.base(), href); ok && entryElements[parent] {
		r.now.enclosure = cmp.Or(r.now.enclosure, link)
	}
}

// base returns what links in the last element that was opened are relative to.
func (r *feedReader) base() *url.URL { return r.path[len(r.path)-1].base }

func (r *feedReader) end(name string) {
	if len(r.path) > r.prose && r.prose > 0 {
		if len(r.path) == r.dark {
			r.dark = 0
		}
		r.path = r.path[:len(r.path)-1]
		r.part(name)
		return
	}
	value, parent := r.chars.String(), ""
	if n := len(r.path); n > 1 {
		parent = r.path[n-2].name
	}
	switch {
	case entryElements[name]:
		r.endEntry()
	case entryElements[parent], parent == "media:group":
		r.field(parent, name, value)
	default:
		r.about(parent, name, value)
	}
	r.path, r.prose, r.plain = r.path[:len(r.path)-1], 0, false
	r.chars.Reset()
}

func (r *feedReader) endEntry() {
	r.now.link = cmp.Or(r.now.link, r.now.enclosure)
	if r.now.title != "" || r.now.link != "" || r.now.summary != "" || r.now.content != "" {
		r.entries = append(r.entries, r.now)
	}
}

// words returns the text of a value in one line of at most so many characters.
func (r *feedReader) words(value string, most int) string {
	if !r.plain {
		value = tokenText(value)
	}
	return line(value, most)
}

// summed returns the text of a value as a summary, which says so when there is more.
func (r *feedReader) summed(value string) string {
	said := r.words(value, maxSummary+1)
	if utf8.RuneCountInString(said) <= maxSummary {
		return said
	}
	return strings.TrimRight(bounded.Characters(said, maxSummary-1), " ") + "…"
}

// about reads an element outside of entries.
func (r *feedReader) about(parent, name, value string) {
	if (parent == "channel" || parent == "feed") && name == "title" && r.title == "" {
		r.title = r.words(value, maxTitle)
	}
	if parent == "channel" && name == "link" {
		r.addLink(parent, value)
	}
}

// field reads an element of an entry. The first of a kind counts: those of extensions, such as the summary for a player of podcasts, stand behind.
func (r *feedReader) field(parent, name, value string) {
	switch name {
	case "title":
		r.now.title = cmp.Or(r.now.title, r.words(value, maxLinkText))
	case "link", "loc":
		r.addLink(parent, value)
	case "guid":
		if strings.HasPrefix(value, "http") {
			r.addLink(parent, value)
		}
	case "pubDate", "published", "updated", "date", "lastmod":
		if r.now.date == "" {
			r.now.date = line(value, 100)
		}
	case "description", "summary":
		r.now.summary = cmp.Or(r.now.summary, r.summed(value))
	case "content", "encoded": // the whole text, in Atom and as content:encoded in RSS
		r.now.content = cmp.Or(r.now.content, r.summed(value))
	case "media:description": // of a film; that of a single picture is its caption
		if parent == "media:group" {
			r.now.content = cmp.Or(r.now.content, r.summed(value))
		}
	}
}
