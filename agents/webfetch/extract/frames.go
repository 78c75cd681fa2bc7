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
	body, list := element(atom.Body), element(atom.Ul)
	body.AppendChild(list)
	for n := range set.Descendants() {
		if src := attribute(n, "src"); n.DataAtom == atom.Frame && src != "" {
			item, link := element(atom.Li), element(atom.A)
			setAttribute(link, "href", src)
			link.AppendChild(text(cmp.Or(attribute(n, "title"), attribute(n, "name"), src)))
			item.AppendChild(link)
			list.AppendChild(item)
		}
	}
	set.Parent.InsertBefore(body, set)
	set.Parent.RemoveChild(set)
}
