package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quorate/quorate/platform/bounded"
)

// maxShort is the maximum length of a date, a language or a number of columns, in bytes.
const maxShort = 64

// written are the elements that content may be written with. All others have parsing rules of their own by which text or attributes of a page could
// become markup: raw text (xmp, plaintext), foreign elements, forms, elements that load something (applet), and custom elements.
var written = wordSet(`html body main article section header footer nav aside address hgroup h1 h2 h3 h4 h5 h6 div p pre blockquote hr br wbr
ul ol menu li dl dt dd figure figcaption picture img details summary table caption colgroup col thead tbody tfoot tr td th
a abbr acronym b bdi bdo big center cite code data del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong sub sup time tt u var`)

// formulas are the elements of MathML that are written. They do not include those at which HTML's parsing rules begin or end unexpectedly: mglyph,
// malignmark and annotation-xml.
var formulas = wordSet(`math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom mfenced
menclose msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mlabeledtr mtd`)

// plainElement replaces the name of n unless every reader of HTML understands it in the same way.
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

// holdsBlocks reports whether a child of n is a block, rather than being in a line of text.
func holdsBlocks(n *html.Node) bool {
	for child := range n.ChildNodes() {
		if isBlock(child) && child.DataAtom != atom.Br {
			return true
		}
	}
	return false
}

// keepAttributes drops all attributes except those that say something about the content, and shortens these, since readers see little of them.
func keepAttributes(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "alt", "title":
			return a.Namespace != ""
		case "lang", "dir", "colspan", "rowspan", "start", "reversed", "datetime":
			return a.Namespace != "" || len(a.Val) > maxShort
		case "encoding":
			return a.Namespace != "" || len(a.Val) > maxShort || n.Data != "annotation"
		case "class":
			return n.DataAtom != atom.Code || !strings.HasPrefix(a.Val, "language-") || len(a.Val) > maxShort
		}
		return true
	})
	for i, a := range n.Attr {
		n.Attr[i].Val = bounded.Characters(a.Val, maxValue)
	}
}
