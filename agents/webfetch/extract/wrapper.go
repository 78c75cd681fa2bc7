package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxWrappers is how many levels of elements around the text are looked at, with html and body: for each, the text is read again.
const maxWrappers = 8

// openWrappers takes from the elements around most of a page's text what would make it be dropped as a whole. Some pages are transparent until a script
// has run; it is content under the conditions of waits. In others, an element before the content, such as an announcement, lacks its end tag.
func openWrappers(content *Content, root *html.Node) {
	n := root
	for range maxWrappers {
		most, size, whole := largest(n)
		if size <= maxHiddenText || size*2 <= whole {
			return
		}
		if veiled(most) {
			dropAttribute(most, "style")
			content.warn(WarnHidden)
		}
		if boilerplate(most) && (find(most, atom.Main) != nil || find(most, atom.H1) != nil) {
			rename(most, atom.Div)
			dropAttribute(most, "role")
		}
		n = most
	}
}

// largest returns the child of n with the most text, hidden or not, and the bytes of text in it and in n.
func largest(n *html.Node) (most *html.Node, size, whole int) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode || apparatus(child) {
			continue
		}
		s := textSize(child, apparatus)
		if whole += s; s > size {
			most, size = child, s
		}
	}
	return most, size, whole
}

// apparatus reports whether n is an element whose text no style shows.
func apparatus(n *html.Node) bool {
	return isControl(n) || unread[n.Data] || n.DataAtom == atom.Template
}

// veiled reports whether the style of n hides it, but leaves room for it.
func veiled(n *html.Node) bool {
	style := plainStyle(attribute(n, "style"))
	return hiddenByStyle(style) && !hiddenByStyle(withoutProperties(style, "opacity", "visibility"))
}
