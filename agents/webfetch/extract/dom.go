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
	kept := n.Attr[:0]
next:
	for _, a := range n.Attr {
		for _, name := range names {
			if a.Key == name {
				continue next
			}
		}
		kept = append(kept, a)
	}
	n.Attr = kept
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

// maxReplaced is the maximum length of text that stands where a browser shows something else, in bytes: brackets of readings, the value of a bar.
// Longer text there is not meant for readers.
const maxReplaced = 16

// invisible reports whether readers of the page never see n. Such text must not reach a prompt either.
func invisible(n *html.Node) bool {
	if n.Type == html.CommentNode {
		return true
	}
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Script:
		return !strings.HasPrefix(strings.TrimSpace(attribute(n, "type")), "application/ld+json") // some pages have their text there
	case atom.Rp, atom.Progress, atom.Meter:
		said, plain := ownTextOf(n, maxReplaced)
		return !plain || len(said) > maxReplaced
	case atom.Style, atom.Noscript, atom.Noembed, atom.Noframes, atom.Template, atom.Datalist:
		return true
	default:
	}
	return n.Namespace == "math" && unshown(n) || invisibleByAttribute(n)
}

func invisibleByAttribute(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") {
				return true
			}
		case "popover":
			return true // until a script or a button shows it
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if hiddenByStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

// isControl reports whether n is a control, which readers operate rather than read.
func isControl(n *html.Node) bool { return n.Type == html.ElementNode && machines[n.DataAtom] }

var machines = map[atom.Atom]bool{
	atom.Iframe: true, atom.Frame: true, atom.Object: true, atom.Embed: true, atom.Canvas: true, atom.Svg: true, atom.Audio: true, atom.Video: true,
	atom.Button: true, atom.Input: true, atom.Select: true, atom.Textarea: true, atom.Dialog: true, atom.Map: true, atom.Script: true, atom.Head: true,
}

// boilerplate reports whether n is around the content on every page of a site.
func boilerplate(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer:
		return true
	case atom.Header:
		return n.Parent != nil && n.Parent.DataAtom == atom.Body && find(n, atom.H1) == nil
	default:
	}
	switch attribute(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	return false
}

// isAroundContent reports whether n is not part of the content of a page.
func isAroundContent(n *html.Node) bool { return isControl(n) || boilerplate(n) }
