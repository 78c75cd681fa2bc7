package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// labelTabs moves the labels of tabs to the beginning of what each of them shows. Material for MkDocs has radio buttons for tabs, whose labels are controls,
// and all that they show is in the page.
func labelTabs(root *html.Node) {
	for n := range root.Descendants() {
		if !hasClass(n, "tabbed-set") {
			continue
		}
		labels, shown := partsOf(n, "tabbed-labels"), partsOf(n, "tabbed-content")
		if len(labels) != len(shown) {
			continue
		}
		for i, part := range shown {
			part.InsertBefore(element(atom.P, element(atom.Strong, text(textOf(labels[i])))), part.FirstChild)
			labels[i].Parent.RemoveChild(labels[i])
		}
	}
}

// partsOf returns the elements in the children of n that have a class.
func partsOf(n *html.Node, class string) (parts []*html.Node) {
	for child := range n.ChildNodes() {
		if !hasClass(child, class) {
			continue
		}
		for part := range child.ChildNodes() {
			if part.Type == html.ElementNode {
				parts = append(parts, part)
			}
		}
	}
	return parts
}
