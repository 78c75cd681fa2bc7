package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minLoose is the size of text beside paragraphs from which it is taken for one itself, in bytes without spaces and links.
const minLoose = 60

// wrapLoose makes paragraphs of the text beside the paragraphs in n, which the libraries drop.
func wrapLoose(n *html.Node) {
	var line []*html.Node // since the last block
	end := func() {
		if sizeOf(line) >= minLoose {
			p := element(atom.P)
			n.InsertBefore(p, line[0])
			for _, part := range line {
				n.RemoveChild(part)
				p.AppendChild(part)
			}
		}
		line = nil
	}
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.TextNode || inLine(child) && !holdsBlocks(child) {
			line = append(line, child)
		} else {
			end()
		}
		child = next
	}
	end()
	if n.DataAtom == atom.Font {
		rename(n, atom.Div)
	}
}

// sizeOf returns the number of bytes of text in nodes, without spaces and links.
func sizeOf(nodes []*html.Node) (size int) {
	for _, n := range nodes {
		if n.DataAtom != atom.A {
			size += textSize(n, func(n *html.Node) bool { return n.DataAtom == atom.A })
		}
	}
	return size
}

// holdsParagraph reports whether n is an element around text, and a child of it is a paragraph.
func holdsParagraph(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Div, atom.Article, atom.Section, atom.Main, atom.Body, atom.Center, atom.Font:
	default:
		return false
	}
	for child := range n.ChildNodes() {
		if child.DataAtom == atom.P {
			return true
		}
	}
	return false
}
