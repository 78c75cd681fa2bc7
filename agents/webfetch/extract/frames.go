package extract

import (
	"cmp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// showFrames makes links of the frames of a page that consists of them: each is a page of its own.
func showFrames(root *html.Node) {
	set := find(root, atom.Frameset)
	if set == nil {
		return
	}
	list := element(atom.Ul)
	body := element(atom.Body, list)
	for n := range set.Descendants() {
		if src := attribute(n, "src"); n.DataAtom == atom.Frame && src != "" {
			link := element(atom.A, text(cmp.Or(attribute(n, "title"), attribute(n, "name"), src)))
			setAttribute(link, "href", src)
			list.AppendChild(element(atom.Li, link))
		}
	}
	replace(set, body)
}
