package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// reveal shows what a script of the page would show: hidden blocks in which a page streams its content
// (https://github.com/vercel/next.js/issues/76651), and blocks that fade in.
func reveal(content *Content, root *html.Node) {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Div && strings.HasPrefix(attribute(n, "id"), "S:") && hasAttribute(n, "hidden") {
			dropAttribute(n, "hidden")
			content.warn(WarnHidden)
		}
		if fadesIn(n) {
			dropAttribute(n, "style")
			content.warn(WarnHidden)
		}
	}
}

// fadesIn reports whether n is transparent only until the reader scrolls to it, as in pages made with Webflow and Framer Motion, which mark such
// elements or also move them. Other transparent text is not meant to be seen.
func fadesIn(n *html.Node) bool {
	style := attribute(n, "style")
	if !strings.Contains(style, "opacity") || !hiddenByStyle(style) {
		return false
	}
	var others []string
	moved := hasAttribute(n, "data-w-id")
	for declaration := range strings.SplitSeq(style, ";") {
		name, _, _ := strings.Cut(declaration, ":")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "opacity":
			continue
		case "transform", "will-change":
			moved = true
		}
		others = append(others, declaration)
	}
	return moved && !hiddenByStyle(strings.Join(others, ";"))
}

// statedText returns the text of an article in JSON-LD as an element with paragraphs.
func statedText(body string) *html.Node {
	text := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	for line := range strings.Lines(body) {
		for part := range strings.Lines(tokenText(line)) { // some pages have HTML there
			p := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
			p.AppendChild(&html.Node{Type: html.TextNode, Data: part})
			text.AppendChild(p)
		}
	}
	return text
}
