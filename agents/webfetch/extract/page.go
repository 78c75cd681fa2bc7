package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageContent removes the boilerplate from root and returns the element with the content: main, or else an article that is most of the page, or else
// the body.
func pageContent(root *html.Node) *html.Node {
	removeWhere(root, isAroundContent)
	body := find(root, atom.Body)
	if body == nil {
		return root
	}
	whole := textSize(body, nil)
	if main, size := longest(body, isMain); size > 0 && size*100 >= whole {
		return main
	}
	if article, size := longest(body, isArticle); size > 0 && size*2 >= whole {
		return article
	}
	return body
}

func isMain(n *html.Node) bool { return n.DataAtom == atom.Main || attribute(n, "role") == "main" }

func isArticle(n *html.Node) bool { return n.DataAtom == atom.Article }

// longest returns the element below n with the most text for which wanted is true, and its size in bytes.
func longest(n *html.Node, wanted func(*html.Node) bool) (best *html.Node, size int) {
	for child := range n.ChildNodes() {
		if child.Type != html.ElementNode {
			continue
		}
		if wanted(child) { // elements inside it are shorter
			if s := textSize(child, nil); s > size {
				best, size = child, s
			}
			continue
		}
		if b, s := longest(child, wanted); s > size {
			best, size = b, s
		}
	}
	return best, size
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

// inSideContent reports whether n is in something that is not content.
func inSideContent(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if isAroundContent(p) {
			return true
		}
	}
	return false
}
