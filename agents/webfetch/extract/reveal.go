package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// reveal shows what a script of the page would show: hidden blocks in which a page streams its content
// (https://github.com/vercel/next.js/issues/76651), blocks that fade in, and formulas.
func reveal(content *Content, root *html.Node) {
	revealFormulas(root)
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

// revealFormulas puts the TeX of formulas in the place of what shows them: the scripts of MathJax, and the images of MediaWiki and WordPress.
func revealFormulas(root *html.Node) {
	formulas := map[*html.Node]string{}
	for n := range root.Descendants() {
		switch class := attribute(n, "class"); {
		case n.DataAtom == atom.Script && strings.HasPrefix(attribute(n, "type"), "math/tex"):
			formulas[n] = textOf(n)
		case n.DataAtom == atom.Img && (strings.HasPrefix(class, "mwe-math-fallback-image") || class == "latex"):
			formulas[n] = attribute(n, "alt")
		}
	}
	for n, said := range formulas {
		if isTeX(said) {
			replace(n, code(tex(said)))
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
	moved := hasAttribute(n, "data-w-id") || withoutProperties(style, "transform", "will-change") != style
	return moved && !hiddenByStyle(withoutProperties(style, "opacity"))
}

// statedText returns the text of an article in JSON-LD as an element with paragraphs.
func statedText(body string) *html.Node {
	stated := element(atom.Div)
	for line := range strings.Lines(body) {
		for part := range strings.Lines(tokenText(line)) { // some pages have HTML there
			stated.AppendChild(element(atom.P, text(part)))
		}
	}
	return stated
}
