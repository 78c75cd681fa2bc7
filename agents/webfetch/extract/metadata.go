package extract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quorate/quorate/platform/bounded"
)

// Metadata is what a document says about itself. Nothing of it is verified.
type Metadata struct {
	Description string            `json:"description,omitempty"`
	Author      string            `json:"author,omitempty"`
	SiteName    string            `json:"site_name,omitempty"`
	Type        string            `json:"type,omitempty"`      // of OpenGraph, such as article
	Published   string            `json:"published,omitempty"` // as written in the document
	Modified    string            `json:"modified,omitempty"`
	Image       string            `json:"image,omitempty"`         // URL
	Canonical   string            `json:"canonical,omitempty"`     // URL
	Feeds       []Link            `json:"feeds,omitempty"`         // at most 10
	OpenGraph   map[string]string `json:"open_graph,omitempty"`    // by name without "og:"; at most 50, of 1,000 characters each
	JSONLD      []json.RawMessage `json:"json_ld,omitempty"`       // compact objects; at most 16, and 64 KiB in total
	JSONLDTypes []string          `json:"json_ld_types,omitempty"` // the @type of each, including those in @graph; at most 50

	title    string
	language string
	body     string   // the article's text in JSON-LD
	thread   bool     // JSON-LD calls the page a discussion
	posts    []string // the texts of its posts there; the first one may be empty
}

// Limits of metadata.
const (
	maxTitle       = 300  // characters
	maxValue       = 1000 // characters in one value
	maxLanguage    = 35   // characters, as BCP 47 recommends
	maxOpenGraph   = 50
	maxFeeds       = 10
	maxJSONLD      = 16
	maxJSONLDBytes = 64 << 10
	maxTypes       = 50
)

// metadataReader collects the metadata in elements; the first value of each kind counts.
type metadataReader struct {
	Metadata

	base      *url.URL
	named     map[string]string // meta elements by name in lower case
	heading   *html.Node
	titleText string
	left      int // bytes left for JSON-LD
}

// metadataOf reads the metadata of root.
func metadataOf(root *html.Node, base *url.URL) Metadata {
	r := metadataReader{base: base, named: map[string]string{}, left: maxJSONLDBytes}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			r.language = line(attribute(n, "lang"), maxLanguage)
		case atom.Title:
			if r.titleText == "" && n.Namespace == "" {
				r.titleText = line(textOf(n), maxTitle)
			}
		case atom.H1:
			if r.heading == nil {
				r.heading = n
			}
		case atom.Meta:
			r.meta(n)
		case atom.Link:
			r.link(n)
		case atom.Script:
			if strings.HasPrefix(strings.TrimSpace(attribute(n, "type")), "application/ld+json") {
				r.addJSONLD(textOf(n))
			}
		default:
		}
	}
	r.finish()
	return r.Metadata
}

func (r *metadataReader) meta(n *html.Node) {
	value := attribute(n, "content")
	if value == "" {
		return
	}
	name := strings.ToLower(strings.TrimSpace(attribute(n, "property")))
	if name == "" {
		name = strings.ToLower(strings.TrimSpace(attribute(n, "name")))
	}
	if name == "" {
		name = strings.ToLower(strings.TrimSpace(attribute(n, "http-equiv")))
	}
	if og, ok := strings.CutPrefix(name, "og:"); ok && len(r.OpenGraph) < maxOpenGraph && len(og) <= 100 && r.OpenGraph[og] == "" {
		if r.OpenGraph == nil {
			r.OpenGraph = map[string]string{}
		}
		r.OpenGraph[line(og, 100)] = line(value, maxValue)
	}
	if wantedMeta[name] && r.named[name] == "" {
		r.named[name] = line(value, maxValue)
	}
}

var wantedMeta = wordSet(`description author content-language twitter:title twitter:description twitter:image article:author article:published_time
article:modified_time date dc.date dc.creator application-name citation_author citation_publication_date`)

func (r *metadataReader) link(n *html.Node) {
	href, ok := resolve(r.base, attribute(n, "href"))
	if !ok {
		return
	}
	switch strings.ToLower(strings.TrimSpace(attribute(n, "rel"))) {
	case "canonical":
		if r.Canonical == "" {
			r.Canonical = href
		}
	case "alternate":
		if kind := attribute(n, "type"); len(r.Feeds) < maxFeeds && (strings.Contains(kind, "rss") || strings.Contains(kind, "atom") || strings.Contains(kind, "feed+json")) {
			r.Feeds = append(r.Feeds, Link{Text: line(attribute(n, "title"), maxLinkText), Href: href})
		}
	}
}

// addJSONLD keeps a block of JSON-LD if it is valid, and reads it.
func (r *metadataReader) addJSONLD(text string) {
	var compact bytes.Buffer
	if len(r.JSONLD) == maxJSONLD || len(text) > r.left || shapeOfJSON(text).deepest > maxJSONDepth || json.Compact(&compact, []byte(strings.ToValidUTF8(text, "\ufffd"))) != nil {
		return
	}
	r.left -= len(text)
	r.JSONLD = append(r.JSONLD, compact.Bytes())
	var value any
	if json.Unmarshal(compact.Bytes(), &value) == nil {
		r.readJSONLD(value)
	}
}

// holdsArticle reports whether the JSON-LD has the text of the page.
func (m Metadata) holdsArticle() bool {
	if len(m.posts) > 1 {
		return true
	}
	for _, block := range m.JSONLD {
		if bytes.Contains(block, []byte(`"articleBody"`)) {
			return true
		}
	}
	return false
}

// readJSONLD collects the types of objects, and the properties of articles.
func (r *metadataReader) readJSONLD(value any) {
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			r.readJSONLD(each)
		}
	case map[string]any:
		r.readJSONLD(v["@graph"])
		for _, name := range texts(v["@type"]) {
			if len(r.JSONLDTypes) < maxTypes {
				r.JSONLDTypes = append(r.JSONLDTypes, line(name, 100))
			}
		}
		first := func(field *string, from any) {
			if t := texts(from); *field == "" && len(t) > 0 {
				*field = line(t[0], maxValue)
			}
		}
		if body := texts(v["articleBody"]); len(body) > 0 && len(body[0]) > len(r.body) {
			r.body = body[0]
		}
		r.readDiscussion(v)
		first(&r.Published, v["datePublished"])
		first(&r.Modified, v["dateModified"])
		first(&r.Author, v["author"])
	}
}

// texts returns the strings in value, or the names of the objects in it.
func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, each := range v {
			all = append(all, texts(each)...)
		}
		return all
	case map[string]any:
		return texts(v["name"])
	}
	return nil
}

// finish fills the fields from what was collected.
func (r *metadataReader) finish() {
	first := func(field *string, values ...string) {
		for _, v := range values {
			if *field == "" {
				*field = v
			}
		}
	}
	heading := ""
	if r.heading != nil {
		heading = line(textOf(r.heading), maxTitle)
	}
	first(&r.title, r.titleText, bounded.Characters(r.OpenGraph["title"], maxTitle), bounded.Characters(r.named["twitter:title"], maxTitle), heading)
	first(&r.language, bounded.Characters(r.named["content-language"], maxLanguage), strings.ReplaceAll(bounded.Characters(r.OpenGraph["locale"], maxLanguage), "_", "-"))
	first(&r.Description, r.named["description"], r.OpenGraph["description"], r.named["twitter:description"])
	first(&r.Author, r.named["author"], r.named["article:author"], r.named["dc.creator"], r.named["citation_author"])
	first(&r.SiteName, r.OpenGraph["site_name"], r.named["application-name"])
	first(&r.Type, r.OpenGraph["type"])
	first(&r.Published, r.named["article:published_time"], r.named["date"], r.named["dc.date"], r.named["citation_publication_date"])
	first(&r.Modified, r.named["article:modified_time"])
	if image, ok := resolve(r.base, cmp.Or(r.OpenGraph["image"], r.named["twitter:image"])); ok {
		r.Image = image
	}
}
