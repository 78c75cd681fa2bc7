package extract

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minGraft is the percentage of the extracted text that must be found in the page. Below it the text came from elsewhere, such as JSON-LD.
const minGraft = 75

// graft reduces page to what found was made of, and reports whether that could be determined. The readability stage determines which words are
// content; their form, which it loses, is taken from the page: tables, languages of code, levels of lists, images.
// pictures says whether they are written, and so their captions.
func graft(page, found *html.Node, base *url.URL, about Metadata, pictures bool) bool {
	runs := runsOf(page)
	kept, text, percent := match(runs, found)
	if percent < minGraft {
		return false
	}
	if !isArticlePage(page, about) {
		keepTwins(page, runs, kept)
	}
	keepCode(runs, kept)
	keepQuotations(runs, kept)
	dropTrail(runs, kept, base)
	addLead(runs, kept, text, about.Description)
	keepFacts(runs, kept, about)
	keepRows(runs, kept)
	keepInnerTables(runs, kept)
	keepLists(runs, kept)
	keepHeadings(runs, kept)
	dropHeadings(runs, kept)
	p := pruner{kept: kept, counts: map[*html.Node]int{}, pictures: pictures}
	p.scope = p.lowest(page, p.count(page))
	p.prune(p.scope)
	for n := p.scope; n.Parent != nil; n = n.Parent {
		removeSiblings(n)
	}
	return true
}

// removeSiblings removes the siblings of n.
func removeSiblings(n *html.Node) {
	for child := n.Parent.FirstChild; child != nil; {
		next := child.NextSibling
		if child != n {
			n.Parent.RemoveChild(child)
		}
		child = next
	}
}

// dependent are elements that cannot be content by themselves: the element around them is used instead.
var dependent = map[atom.Atom]bool{
	atom.Li: true, atom.Td: true, atom.Th: true, atom.Tr: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Dt: true, atom.Dd: true,
	atom.Pre: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.P: true, atom.Ul: true, atom.Ol: true,
	atom.Table: true, atom.Blockquote: true, atom.Html: true,
}

// pruner removes from a page what is not kept.
type pruner struct {
	kept   map[*html.Node]bool
	counts map[*html.Node]int // by element: number of kept text nodes below it
	scope  *html.Node         // holds all of them

	pictures bool       // keep their captions
	figure   *html.Node // the last one that was looked through
	picture  bool       // is in it
}

func (p *pruner) count(n *html.Node) int {
	if p.kept[n] {
		return 1
	}
	total := 0
	for child := range n.ChildNodes() {
		total += p.count(child)
	}
	if total > 0 {
		p.counts[n] = total
	}
	return total
}

// lowest returns the lowest block below n that holds all kept text nodes.
func (p *pruner) lowest(n *html.Node, all int) *html.Node {
	best := n
	for n != nil {
		if !inLine(n) && !dependent[n.DataAtom] {
			best = n
		}
		var next *html.Node
		for child := range n.ChildNodes() {
			if p.counts[child] == all {
				next = child
			}
		}
		n = next
	}
	return best
}

// pruned says what is left of a node after pruning.
type pruned struct {
	text    bool // kept text
	image   bool
	dropped bool // some text was removed
}

// prune reduces n and returns what is left.
func (p *pruner) prune(n *html.Node) pruned {
	var all pruned
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if left, keep := p.child(child); keep {
			all.text, all.image, all.dropped = all.text || left.text, all.image || left.image, all.dropped || left.dropped
		} else {
			all.dropped = all.dropped || left.dropped
			n.RemoveChild(child)
		}
		child = next
	}
	return all
}

func (p *pruner) child(n *html.Node) (left pruned, keep bool) {
	switch {
	case n.Type == html.TextNode:
		blank := strings.TrimSpace(n.Data) == ""
		return pruned{text: p.kept[n] && !blank, dropped: !blank && !p.kept[n]}, blank || p.kept[n]
	case spacing[n.DataAtom]:
		return left, true
	case n.DataAtom == atom.Img:
		left.image = picture(n)
		return left, left.image
	case p.whole(n):
		return pruned{text: true}, true
	case p.captions(n):
		return left, true
	case isControl(n):
		return left, p.holds(n)
	}
	left = p.prune(n)
	switch {
	case left.text:
		return left, true
	case left.image && (n.DataAtom == atom.Figure || !left.dropped): // the image of a teaser is removed with its text
		return pruned{image: true}, true
	}
	return left, p.emptyCell(n)
}

// emptyCell reports whether n keeps the other cells of its row in their columns.
func (p *pruner) emptyCell(n *html.Node) bool {
	return (n.DataAtom == atom.Td || n.DataAtom == atom.Th) && p.counts[n.Parent] > 0
}

// whole reports whether n is kept completely: a line of code means nothing without the others.
func (p *pruner) whole(n *html.Node) bool {
	return n.DataAtom == atom.Pre && p.holds(n) || n.DataAtom == atom.Table && p.holdsMost(n)
}

// captions reports whether n is the caption of something that stays: a table that holds kept text, or a picture.
func (p *pruner) captions(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Caption:
		return p.counts[n.Parent] > 0
	case atom.Figcaption:
		return p.counts[n.Parent] > p.counts[n] || p.pictures && p.pictured(n.Parent)
	default:
		return false
	}
}

// pictured reports whether a figure holds a picture. It looks once, since a figure may have many captions.
func (p *pruner) pictured(figure *html.Node) bool {
	if p.figure != figure {
		p.figure, p.picture = figure, find(figure, atom.Img) != nil
	}
	return p.picture
}

// spacing are elements that only shape what is around them.
var spacing = map[atom.Atom]bool{atom.Br: true, atom.Hr: true, atom.Wbr: true, atom.Col: true, atom.Colgroup: true}

// holds reports whether any text below n is kept.
func (p *pruner) holds(n *html.Node) bool { return p.counts[n] > 0 }

// holdsMost reports whether nine tenths of the text below n are kept.
func (p *pruner) holdsMost(n *html.Node) bool {
	whole, kept := 0, 0
	for d := range n.Descendants() {
		if d.Type != html.TextNode || closest(d, atom.Caption) != nil {
			continue
		}
		size := squeezedSize(d.Data)
		whole += size
		if p.kept[d] {
			kept += size
		}
	}
	return kept > 0 && kept*10 >= whole*9
}

// picture reports whether an image is meant to be looked at, rather than a tracking pixel or an icon.
func picture(img *html.Node) bool {
	const icon = 32 // pixels
	for _, name := range []string{"width", "height"} {
		if size, err := strconv.Atoi(strings.TrimSuffix(attribute(img, name), "px")); err == nil && size <= icon {
			return false
		}
	}
	return true
}
