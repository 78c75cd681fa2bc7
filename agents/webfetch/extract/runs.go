package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// run is text without a block boundary or line break inside.
type run struct {
	nodes []*html.Node
	text  string // without spaces
}

// kept reports whether any text of r is kept.
func (r run) kept(kept map[*html.Node]bool) bool {
	for _, n := range r.nodes {
		if kept[n] && strings.TrimSpace(n.Data) != "" {
			return true
		}
	}
	return false
}

// lastKept returns the index of the last run that is kept, or -1.
func lastKept(runs []run, kept map[*html.Node]bool) int {
	for i, r := range slices.Backward(runs) {
		if r.kept(kept) {
			return i
		}
	}
	return -1
}

// within reports whether r is the text of one of elements, or of something inline in it.
func (r run) within(elements ...atom.Atom) bool {
	for p := r.nodes[0].Parent; p != nil; p = p.Parent {
		if slices.Contains(elements, p.DataAtom) {
			return true
		}
		if !inLine(p) {
			return false
		}
	}
	return false
}

// linked returns how many bytes of r are links for which wanted is true.
func (r run) linked(wanted func(a *html.Node) bool) int {
	size := 0
	for _, n := range r.nodes {
		for p := n.Parent; p != nil && inLine(p); p = p.Parent {
			if p.DataAtom == atom.A {
				if wanted(p) {
					size += squeezedSize(n.Data)
				}
				break
			}
		}
	}
	return size
}

// runsOf returns the runs below n in document order.
func runsOf(n *html.Node) []run {
	var runs []run
	var open []*html.Node
	end := func() {
		if text := squeeze(open); text != "" {
			runs = append(runs, run{nodes: open, text: text})
		}
		open = nil
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			open = append(open, n)
			return
		}
		if n.DataAtom == atom.Head || n.DataAtom == atom.Script {
			return
		}
		divides := !inLine(n)
		if divides {
			end()
		}
		for child := range n.ChildNodes() {
			walk(child)
		}
		if divides {
			end()
		}
	}
	walk(n)
	end()
	return runs
}

// inline are the elements inside a line of text.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.Acronym: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true, atom.Cite: true, atom.Code: true,
	atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true, atom.Ins: true, atom.Kbd: true,
	atom.Mark: true, atom.Q: true, atom.Rp: true, atom.Rt: true, atom.Ruby: true, atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true,
	atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true,
}

// isBlock reports whether n is an element that HTML knows and that is not inside a line of text.
func isBlock(n *html.Node) bool {
	return n.Type == html.ElementNode && n.DataAtom != 0 && !inline[n.DataAtom]
}

// inLine reports whether n is inside a line of text, as inline elements and formulas are.
func inLine(n *html.Node) bool { return inline[n.DataAtom] || n.Namespace == "math" }

func squeeze(nodes []*html.Node) string {
	var out strings.Builder
	for _, n := range nodes {
		for word := range strings.FieldsSeq(n.Data) {
			out.WriteString(word)
		}
	}
	return out.String()
}

func keepRun(r run, kept map[*html.Node]bool) {
	for _, n := range r.nodes {
		kept[n] = true
	}
}

func dropRun(r run, kept map[*html.Node]bool) {
	for _, n := range r.nodes {
		delete(kept, n)
	}
}

// mostlyLinks reports whether more than half of r are links.
func mostlyLinks(r run) bool { return r.linked(anyLink)*2 > len(r.text) }

func anyLink(*html.Node) bool { return true }
