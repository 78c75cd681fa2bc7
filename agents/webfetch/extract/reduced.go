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
		case child.Type == html.CommentNode || skipped[child.DataAtom] || indentation(child):
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
	block := func(near *html.Node) bool { return near == nil || isBlock(near) }
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
	head := element(atom.Head)
	add := func(n *html.Node, attributes ...html.Attribute) {
		n.Attr = attributes
		head.AppendChild(n)
	}
	for _, name := range []string{"title", "author", "url", "description", "site_name", "image", "type", "article:tag"} {
		value := "https://page.invalid/"
		if name == "author" {
			value = "No Body" // a name of one word would be ignored
		}
		add(element(atom.Meta), html.Attribute{Key: "property", Val: "og:" + name}, html.Attribute{Key: "content", Val: value})
	}
	add(element(atom.A, text("none")), html.Attribute{Key: "rel", Val: "license"}, html.Attribute{Key: "href", Val: "https://page.invalid/"})
	add(element(atom.Script, text(`{"@type":"Article","articleSection":"none","articleBody":"`+nothingFound+`"}`)), html.Attribute{Key: "type", Val: "application/ld+json"})
	return head
}

// isAside reports whether n is dropped from the result of a library.
func isAside(n *html.Node) bool { return n.Type == html.ElementNode && asides[n.Data] }

var asides = wordSet(`aside embed footer form head iframe menu object script applet audio canvas map picture svg video area button datalist dialog fieldset
link input label legend marquee math nav noscript optgroup option output param progress rp rt select source style textarea time track noindex figure`)
