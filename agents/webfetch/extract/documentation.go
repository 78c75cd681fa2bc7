package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainDocumentation undoes what programs that write documentation put around text: code in tables and figures, notes in asides, and in
// each heading a link to itself.
func plainDocumentation(root *html.Node) {
	bareCode(root)
	for n := range root.Descendants() {
		if n.DataAtom == atom.Aside && named(n, noteWords) {
			rename(n, atom.Div)
		}
	}
	removeWhere(root, linksToItself)
}

// noteWords are words of classes of asides that belong to the text, as Starlight and Docutils write them.
var noteWords = wordSet("admonition callout note tip hint important warning caution danger alert")

// linksToItself tells whether n is the mark beside a heading that links to it.
func linksToItself(n *html.Node) bool {
	if n.DataAtom != atom.A || !strings.HasPrefix(attribute(n, "href"), "#") {
		return false
	}
	switch n.Parent.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		switch strings.TrimSpace(textOf(n)) {
		case "¶", "#", "§", "🔗":
			return true
		}
	default:
	}
	return false
}
