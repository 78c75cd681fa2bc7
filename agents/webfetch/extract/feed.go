package extract

import (
	"cmp"
	"context"

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
	enclosure         string // stands for a missing link, as that of an episode does
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
