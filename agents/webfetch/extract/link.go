package extract

import (
	"cmp"
	"errors"
	"html"
	"net/url"
	"regexp"
	"strings"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quorate/quorate/platform/prose"
)

// Link is a link of a document.
type Link struct {
	Text string `json:"text"` // at most 500 characters
	Href string `json:"href"` // absolute
}

// Limits of links: a long base, repeated in many short links, would make a small page large.
const (
	maxLink     = 4096    // bytes of one
	maxLinkText = 500     // characters
	maxLinks    = 2 << 20 // bytes of all links, after which links are dropped
	lookedAt    = 16      // bytes that searching for one link counts as, in a document that is not parsed
)

// linkList collects links without duplicates.
type linkList struct {
	links []Link
	at    map[string]int // by href
	left  int
	full  bool // some were left out
}

func newLinkList() *linkList { return &linkList{links: []Link{}, at: map[string]int{}, left: maxLinks} }

// resolve makes raw absolute. ok is false once all links together are too large.
func (l *linkList) resolve(base *url.URL, raw string) (link string, ok bool) {
	if l.left -= len(base.Path); l.left < 0 {
		l.full = true
		return "", false
	}
	return resolve(base, raw)
}

func (l *linkList) add(text, href string) {
	text = line(text, maxLinkText)
	if i, ok := l.at[href]; ok {
		if l.links[i].Text == "" {
			l.links[i].Text = text // the link occurs around an image and around words
		}
		return
	}
	if l.left -= len(href) + len(text); l.left < 0 {
		l.full = true
		return
	}
	l.at[href] = len(l.links)
	l.links = append(l.links, Link{Text: text, Href: href})
}

// look counts the work of searching for one more link.
func (l *linkList) look() {
	l.left -= lookedAt
	l.full = l.full || l.left < 0
}

// writeLinks fills content with a JSON array of links.
func writeLinks(content *Content, list *linkList) error {
	if list.full {
		content.warn(WarnIncomplete)
	}
	text, err := marshal(list.links)
	content.Text, content.Format = text, Links
	return err
}

// linksOf returns all links of a page except hidden ones. Boilerplate is included: whoever asks for links wants to navigate.
func linksOf(root *xhtml.Node, base *url.URL, hidden func(*xhtml.Node) bool) *linkList {
	removeWhere(root, hidden)
	list := newLinkList()
	var walk func(*xhtml.Node)
	walk = func(n *xhtml.Node) {
		if n.DataAtom == atom.A || n.DataAtom == atom.Area {
			if href, ok := list.resolve(base, attribute(n, "href")); ok {
				list.add(linkText(n), href)
			}
		}
		for child := range n.ChildNodes() {
			walk(child)
		}
	}
	walk(root)
	return list
}

// linkText returns the text of a link as readers see it.
func linkText(n *xhtml.Node) string {
	var out strings.Builder
	out.WriteString(attribute(n, "alt"))
	for d := range n.Descendants() {
		switch {
		case out.Len() > 8*maxLinkText: // also bounds links inside links
			return out.String()
		case d.Type == xhtml.TextNode:
			out.WriteString(d.Data)
		case d.DataAtom == atom.Img:
			out.WriteString(" " + attribute(d, "alt") + " ")
		}
	}
	if text := out.String(); strings.TrimSpace(text) != "" {
		return text
	}
	return cmp.Or(attribute(n, "aria-label"), attribute(n, "title"))
}

// tokenLinks returns the links of a page that is not parsed.
func tokenLinks(source string, base *url.URL) *linkList {
	list := newLinkList()
	based := false
	for s := (scanner{rest: source}); !list.full && s.next(); {
		if s.end || s.name != "a" && s.name != "area" && (s.name != "base" || based) {
			continue
		}
		list.look()
		m := hrefPattern.FindStringSubmatch(s.tagged[:min(len(s.tagged), 2*maxLink)])
		if m == nil {
			continue
		}
		href := html.UnescapeString(m[1] + m[2] + m[3])
		if s.name == "base" {
			base, based = baseOf(base, href), true
		} else if link, ok := list.resolve(base, href); ok {
			list.add("", link)
		}
	}
	return list
}

var hrefPattern = regexp.MustCompile(`(?i)[\s"'/]href\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'>]+))`)

// plainLinks returns the URLs in a text.
func plainLinks(text string) *linkList {
	list, long := newLinkList(), false
	for !list.full {
		at := urlPattern.FindStringIndex(text)
		if at == nil {
			break
		}
		list.look()
		href := prose.TrimURL(text[at[0]:at[1]])
		text = text[at[1]:]
		if len(href) <= maxLink {
			list.add("", href)
		} else {
			long = true
		}
	}
	list.full = list.full || long
	return list
}

var urlPattern = regexp.MustCompile(`https?://[^\s<>"]+`)

// baseURL returns the base of relative links.
func baseURL(root *xhtml.Node, page *url.URL) *url.URL {
	for n := range root.Descendants() {
		if n.DataAtom != atom.Base || attribute(n, "href") == "" {
			continue
		}
		return baseOf(page, attribute(n, "href"))
	}
	return page
}

// ParseURL parses a URL, which may be relative. A percent sign after its host that begins no code stands for itself, as it does in browsers.
func ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if _, stray := errors.AsType[url.EscapeError](err); !stray {
		return u, err
	}
	u, failed := url.Parse(percentCode.ReplaceAllStringFunc(raw, func(code string) string {
		if code == "%" {
			return "%25"
		}
		return code
	}))
	if failed != nil || strings.Contains(u.Host, "%") {
		return nil, err
	}
	return u, nil
}

// ParseReference parses a URL as ParseURL does, relative to base.
func ParseReference(base *url.URL, raw string) (*url.URL, error) {
	u, err := ParseURL(raw)
	if err != nil {
		return nil, err
	}
	return base.ResolveReference(u), nil
}

var percentCode = regexp.MustCompile(`%([0-9A-Fa-f]{2})?`)

// baseOf returns the base that href names, or page when it names none.
func baseOf(page *url.URL, href string) *url.URL {
	u, err := ParseReference(page, strings.TrimSpace(href))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(u.String()) > maxLink {
		return page
	}
	return u
}

func resolve(base *url.URL, raw string) (link string, ok bool) {
	if len(raw) > maxLink || strings.TrimSpace(raw) == "" {
		return "", false
	}
	u, err := ParseReference(base, strings.TrimSpace(raw))
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https", "mailto", "tel":
		link = u.String()
		return link, len(link) <= 2*maxLink
	}
	return "", false
}
