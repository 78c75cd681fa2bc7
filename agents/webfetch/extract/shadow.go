package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// showShadows puts what browsers show of elements with a shadow tree in their place: the tree, with the element's own children where its slots are.
// Children without a slot are shown by no browser (https://html.spec.whatwg.org/multipage/scripting.html#attr-template-shadowrootmode).
func showShadows(n *html.Node) {
	if tree := shadowOf(n); tree != nil {
		n.RemoveChild(tree)
		fillSlots(n, tree)
	}
	for child := range n.ChildNodes() {
		if child.DataAtom != atom.Template {
			showShadows(child)
		}
	}
}

// shadowOf returns the template with the shadow tree of host, or nil.
func shadowOf(host *html.Node) *html.Node {
	if host.Type != html.ElementNode || host.Namespace != "" || !shadowHosts[host.DataAtom] && !strings.Contains(host.Data, "-") {
		return nil
	}
	for child := range host.ChildNodes() {
		if child.DataAtom != atom.Template {
			continue
		}
		switch strings.ToLower(attribute(child, "shadowrootmode")) {
		case "open", "closed":
			return child
		}
	}
	return nil
}

// shadowHosts are the elements that may have a shadow tree, beside those with a hyphen in their names.
var shadowHosts = map[atom.Atom]bool{
	atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Div: true, atom.Footer: true, atom.H1: true, atom.H2: true, atom.H3: true,
	atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Main: true, atom.Nav: true, atom.P: true, atom.Section: true, atom.Span: true,
}

// fillSlots replaces the children of host by those of its shadow tree, whose slots take them.
func fillSlots(host, tree *html.Node) {
	own := map[string][]*html.Node{} // by the name of their slot
	for child := host.FirstChild; child != nil; child = host.FirstChild {
		host.RemoveChild(child)
		own[attribute(child, "slot")] = append(own[attribute(child, "slot")], child)
	}
	for _, slot := range slotsBelow(tree, nil) {
		name := attribute(slot, "name")
		if len(own[name]) > 0 {
			for child := slot.FirstChild; child != nil; child = slot.FirstChild {
				slot.RemoveChild(child)
			}
		}
		for _, child := range own[name] {
			slot.AppendChild(child)
		}
		delete(own, name) // the first slot of a name takes all
		if holdsBlocks(slot) {
			rename(slot, atom.Div)
		} else {
			rename(slot, atom.Span)
		}
	}
	for child := tree.FirstChild; child != nil; child = tree.FirstChild {
		tree.RemoveChild(child)
		host.AppendChild(child)
	}
}

// slotsBelow appends the slots of a shadow tree to slots.
func slotsBelow(n *html.Node, slots []*html.Node) []*html.Node {
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.Slot {
			slots = append(slots, child)
		}
		if child.DataAtom != atom.Template {
			slots = slotsBelow(child, slots)
		}
	}
	return slots
}
