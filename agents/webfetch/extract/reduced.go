package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// reduced copies root without what neither library reads, because each of them copies its tree several times. If head is not nil, it replaces the page's
// head.
func reduced(root, head *html.Node) *html.Node {
	made := &html.Node{Type: root.Type, DataAtom: root.DataAtom, Data: root.Data, Namespace: root.Namespace, Attr: append([]html.Attribute(nil), root.Attr...)}
	for child := range root.ChildNodes() {
		switch {
		case child.Type == html.CommentNode || isControl(child) && skipped[child.DataAtom] || indentation(child):
		case child.DataAtom == atom.Head && head != nil:
			made.AppendChild(head)
		case child.DataAtom == atom.Title: // go-readability compares it with each heading, however long it is
			made.AppendChild(element(atom.Title, text(line(textOf(child), maxTitle))))
		case child.DataAtom == atom.Math: // go-trafilatura would drop it together with the rest of the paragraph
			made.AppendChild(text(textOf(child)))
		default:
			made.AppendChild(reduced(child, head))
		}
	}
	if holdsParagraph(made) {
		wrapLoose(made)
	}
	return made
}

// indentation reports whether n is white space between blocks.
func indentation(n *html.Node) bool {
	block := func(near *html.Node) bool {
		return near == nil || near.Type == html.ElementNode && near.DataAtom != 0 && !inline[near.DataAtom]
	}
	return n.Type == html.TextNode && block(n.PrevSibling) && block(n.NextSibling) && !inline[n.Parent.DataAtom] && n.Parent.DataAtom != atom.Pre &&
		strings.TrimSpace(n.Data) == ""
}

// skipped are the elements that both libraries ignore with their content.
var skipped = map[atom.Atom]bool{
	atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Canvas: true, atom.Svg: true, atom.Audio: true, atom.Video: true, atom.Map: true,
	atom.Button: true, atom.Input: true, atom.Select: true, atom.Textarea: true,
}

// nothingFound is what go-trafilatura returns for a page with the head of filledHead when it finds too little: it then takes the text in the page's
// JSON-LD.
var nothingFound = strings.TrimSpace(strings.Repeat("nothing found ", 20))

// filledHead returns a head that contains everything for which go-trafilatura would otherwise search the page besides the content, which takes as long as
// finding the content. metadataOf reads the page's real metadata.
func filledHead() *html.Node {
	head := &html.Node{Type: html.ElementNode, DataAtom: atom.Head, Data: "head"}
	add := func(tag atom.Atom, text string, attributes ...html.Attribute) {
		n := &html.Node{Type: html.ElementNode, DataAtom: tag, Data: tag.String(), Attr: attributes}
		if text != "" {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		}
		head.AppendChild(n)
	}
	for _, name := range []string{"title", "author", "url", "description", "site_name", "image", "type", "article:tag"} {
		value := "https://page.invalid/"
		if name == "author" {
			value = "No Body" // a name of one word would be ignored
		}
		add(atom.Meta, "", html.Attribute{Key: "property", Val: "og:" + name}, html.Attribute{Key: "content", Val: value})
	}
	add(atom.A, "none", html.Attribute{Key: "rel", Val: "license"}, html.Attribute{Key: "href", Val: "https://page.invalid/"})
	add(atom.Script, `{"@type":"Article","articleSection":"none","articleBody":"`+nothingFound+`"}`, html.Attribute{Key: "type", Val: "application/ld+json"})
	return head
}

// isAside reports whether n is dropped from the result of a library.
func isAside(n *html.Node) bool { return n.Type == html.ElementNode && asides[n.Data] }

var asides = map[string]bool{
	"aside": true, "embed": true, "footer": true, "form": true, "head": true, "iframe": true, "menu": true, "object": true, "script": true, "applet": true,
	"audio": true, "canvas": true, "map": true, "picture": true, "svg": true, "video": true, "area": true, "button": true, "datalist": true,
	"dialog": true, "fieldset": true, "link": true, "input": true, "label": true, "legend": true, "marquee": true, "math": true, "nav": true, "noscript": true,
	"optgroup": true, "option": true, "output": true, "param": true, "progress": true, "rp": true, "rt": true, "select": true, "source": true, "style": true,
	"textarea": true, "time": true, "track": true, "noindex": true, "figure": true,
}
