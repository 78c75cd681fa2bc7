package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxCard is the maximum number of nodes in a link that is taken for a card.
const maxCard = 200

// linkTitles moves the links around whole blocks, as cards have them, to the title in each: a link in Markdown is in one line.
func linkTitles(content *html.Node) {
	var links []*html.Node
	for n := range content.Descendants() {
		if n.DataAtom == atom.A && hasAttribute(n, "href") {
			links = append(links, n)
		}
	}
	for _, link := range links {
		title := titleIn(link)
		if title == nil {
			continue
		}
		inner := element(atom.A)
		inner.Attr, link.Attr = link.Attr, nil
		for child := title.FirstChild; child != nil; child = title.FirstChild {
			title.RemoveChild(child)
			inner.AppendChild(child)
		}
		title.AppendChild(inner)
		rename(link, atom.Div)
	}
}

// titleIn returns the first heading in a link, or else the first block with text, or nil if the link is in one line.
func titleIn(link *html.Node) (title *html.Node) {
	nodes := 0
	for n := range link.Descendants() {
		if nodes++; nodes > maxCard {
			return nil
		}
		if isHeading(n) && textSize(n, nil) > 0 {
			return n
		}
		if title == nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			if block := blockAround(n); isIn(block, link) {
				title = block
			}
		}
	}
	return title
}
