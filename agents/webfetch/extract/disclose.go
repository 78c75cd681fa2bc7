package extract

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// disclosure shows what readers open by a control: the answers below questions, and the tabs of a page
// (https://www.w3.org/WAI/ARIA/apg/patterns/disclosure/).
type disclosure struct {
	controls map[string]*html.Node     // by the id of what they open
	tabs     map[*html.Node]*html.Node // by the panel that they open without naming it
	opened   bool                      // anything was hidden until now
}

// disclose shows what the controls below root open that readers see, and reports whether there was anything. hidden reports what they do not see.
func disclose(root *html.Node, hidden func(*html.Node) bool) bool {
	d := disclosure{controls: map[string]*html.Node{}, tabs: map[*html.Node]*html.Node{}}
	d.look(root, hidden)
	if len(d.controls)+len(d.tabs) > 0 {
		d.show(root)
	}
	return d.opened
}

// look finds the controls below n. Those around the content are left out, because they open menus.
func (d *disclosure) look(n *html.Node, hidden func(*html.Node) bool) {
	for child := range n.ChildNodes() {
		if hidden(child) || boilerplate(child) {
			continue
		}
		if attribute(child, "role") == "tablist" {
			d.pair(child)
		}
		ids := controlled(child)
		if len(ids) == 0 {
			d.look(child, hidden)
		} else if strings.TrimSpace(textOf(child)) != "" {
			for _, id := range ids {
				d.controls[id] = child
			}
		}
	}
}

// pair notes the panels behind a list of tabs that do not name them, such as those of Docusaurus: there are as many.
func (d *disclosure) pair(list *html.Node) {
	tabs := withRole(list, "tab", nil)
	var panels []*html.Node
	for n := list.NextSibling; n != nil && attribute(n, "role") != "tablist"; n = n.NextSibling {
		if attribute(n, "role") == "tabpanel" {
			panels = append(panels, n)
		} else {
			panels = withRole(n, "tabpanel", panels)
		}
	}
	if len(tabs) != len(panels) || slices.ContainsFunc(tabs, func(tab *html.Node) bool { return hasAttribute(tab, "aria-controls") || textSize(tab, nil) == 0 }) {
		return
	}
	for i, panel := range panels {
		d.tabs[panel] = tabs[i]
	}
}

// withRole appends the elements below n that have a role to list, without those in one another.
func withRole(n *html.Node, role string, list []*html.Node) []*html.Node {
	for child := range n.ChildNodes() {
		if attribute(child, "role") == role {
			list = append(list, child)
		} else {
			list = withRole(child, role, list)
		}
	}
	return list
}

// controlled returns the ids of what a control opens; Bootstrap has them in attributes of its own.
func controlled(n *html.Node) (ids []string) {
	if !hasAttribute(n, "aria-expanded") && attribute(n, "role") != "tab" {
		return nil
	}
	ids = strings.Fields(attribute(n, "aria-controls"))
	for _, name := range []string{"data-bs-target", "data-target", "href"} {
		if id, found := strings.CutPrefix(attribute(n, name), "#"); found && id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// show shows the panels below n. It returns the bytes of text below n, and how many of them are links.
func (d *disclosure) show(n *html.Node) (size, linked int) {
	if n.Type == html.TextNode {
		return squeezedSize(n.Data), 0
	}
	for child := range n.ChildNodes() {
		s, l := d.show(child)
		size, linked = size+s, linked+l
	}
	if n.DataAtom == atom.A {
		linked = size
	}
	if control := cmp.Or(d.controls[attribute(n, "id")], d.tabs[n]); control != nil && invisibleByAttribute(n.Attr) && !overlays[attribute(n, "role")] && linked*2 <= size { // links are a menu
		d.open(n, control)
	}
	return size, linked
}

// overlays are roles of what lies over a page rather than in it.
var overlays = wordSet("dialog alertdialog menu listbox tooltip")

// open shows n, unless it is hidden by what controls do not change, and makes its control a heading.
func (d *disclosure) open(n, control *html.Node) {
	others := withoutProperties(plainStyle(attribute(n, "style")), "display", "visibility", "height", "max-height", "opacity")
	if hasAttribute(n, "popover") || hiddenByStyle(others) {
		return
	}
	dropAttribute(n, "hidden", "aria-hidden", "style")
	d.opened = true
	if control.DataAtom == atom.A || control.DataAtom == atom.Button {
		rename(control, headingIn(control.Parent))
	}
}

// headingIn returns the name of an element that makes its text the heading of what is below it.
func headingIn(around *html.Node) atom.Atom {
	if isHeading(around) || around.DataAtom == atom.Dt || around.DataAtom == atom.Summary || around.DataAtom == atom.Span {
		return atom.Span
	}
	return atom.H4
}
