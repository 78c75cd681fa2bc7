package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// attribute returns the value of an attribute of n, or "".
func attribute(n *html.Node, name string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func hasClass(n *html.Node, class string) bool {
	for name := range strings.FieldsSeq(attribute(n, "class")) {
		if name == class {
			return true
		}
	}
	return false
}

func setAttribute(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func dropAttribute(n *html.Node, names ...string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return slices.Contains(names, a.Key) })
}

// replace puts by in the place of n.
func replace(n, by *html.Node) {
	n.Parent.InsertBefore(by, n)
	n.Parent.RemoveChild(n)
}

// removeWhere removes every node below n for which unwanted is true, with its subtree.
func removeWhere(n *html.Node, unwanted func(*html.Node) bool) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if unwanted(child) {
			n.RemoveChild(child)
		} else {
			removeWhere(child, unwanted)
		}
		child = next
	}
}

// find returns the first element below n with the name a, in document order.
func find(n *html.Node, a atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == a {
			return d
		}
	}
	return nil
}

// textSize returns the number of bytes of text below n, without space between words, and without nodes for which unwanted is true.
func textSize(n *html.Node, unwanted func(*html.Node) bool) int {
	if n.Type == html.TextNode {
		return squeezedSize(n.Data)
	}
	size := 0
	for child := range n.ChildNodes() {
		if unwanted == nil || !unwanted(child) {
			size += textSize(child, unwanted)
		}
	}
	return size
}

func squeezedSize(s string) int {
	size := 0
	for word := range strings.FieldsSeq(s) {
		size += len(word)
	}
	return size
}

// ownTextOf returns the text of an element that holds nothing else, or of one that is too long, the beginning.
func ownTextOf(n *html.Node, most int) (said string, plain bool) {
	for child := range n.ChildNodes() {
		if child.Type != html.TextNode {
			return "", false
		}
		if said += child.Data; len(said) > most {
			break
		}
	}
	return said, true
}

func element(a atom.Atom, children ...*html.Node) *html.Node {
	n := &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String()}
	for _, child := range children {
		n.AppendChild(child)
	}
	return n
}

func text(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func textOf(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}

// itemType returns the name of what an element says that it is about, such as Product (https://html.spec.whatwg.org/#microdata), or "".
func itemType(n *html.Node) string {
	kind := attribute(n, "itemtype")
	return kind[strings.LastIndexByte(kind, '/')+1:]
}

// isHeading reports whether n is a heading of any level.
func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	default:
		return false
	}
}

// closest returns the nearest element of a name around n, or nil.
func closest(n *html.Node, name atom.Atom) *html.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == name {
			return p
		}
	}
	return nil
}

func rename(n *html.Node, name atom.Atom) { n.Namespace, n.DataAtom, n.Data = "", name, name.String() }
