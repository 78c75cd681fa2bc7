package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxShort is how long a date, a language or a number of columns may be, in bytes.
const maxShort = 64

// written are the elements that content is written with. Every other one would be read in a way of its own, where the text or the
// attributes of a page may become markup: raw text (xmp, plaintext), foreign elements, forms, what a browser loads (applet), and
// what a page defines.
var written = wordSet(`html body main article section header footer nav aside address hgroup h1 h2 h3 h4 h5 h6 div p pre blockquote hr br wbr
ul ol menu li dl dt dd figure figcaption picture img details summary table caption colgroup col thead tbody tfoot tr td th
a abbr acronym b bdi bdo big center cite code data del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub sup time tt u var`)

// formulas are the elements of MathML that are written. None of them is one where HTML's own rules begin or end in surprising places,
// as mglyph, malignmark and annotation-xml.
var formulas = wordSet(`math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom mfenced
menclose msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mlabeledtr mtd`)

// plainElement gives n a name that means the same to every reader of HTML.
func plainElement(n *html.Node) {
	switch {
	case n.Type != html.ElementNode, n.Namespace == "" && written[n.Data], n.Namespace == "math" && formulas[n.Data]:
	case n.DataAtom == atom.Xmp || n.DataAtom == atom.Listing || n.DataAtom == atom.Plaintext:
		rename(n, atom.Pre)
	case n.DataAtom == atom.Form || n.DataAtom == atom.Fieldset || n.DataAtom == atom.Dir || holdsBlocks(n):
		rename(n, atom.Div)
	default:
		rename(n, atom.Span)
	}
}

func rename(n *html.Node, name atom.Atom) { n.Namespace, n.DataAtom, n.Data = "", name, name.String() }

// holdsBlocks tells whether an element stands between blocks, and not in a line.
func holdsBlocks(n *html.Node) bool {
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode && child.DataAtom != 0 && !inline[child.DataAtom] && child.DataAtom != atom.Br {
			return true
		}
	}
	return false
}

// keepAttributes drops every attribute but those that say something about content, and shortens them: readers see little of them.
func keepAttributes(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "alt", "title":
			return a.Namespace != ""
		case "lang", "dir", "colspan", "rowspan", "start", "reversed", "datetime":
			return a.Namespace != "" || len(a.Val) > maxShort
		case "class":
			return n.DataAtom != atom.Code || !strings.HasPrefix(a.Val, "language-") || len(a.Val) > maxShort
		}
		return true
	})
	for i, a := range n.Attr {
		n.Attr[i].Val = prefix(a.Val, maxValue)
	}
}
