package extract

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rows reports whether a table can be written as rows of cells: it holds nothing that needs lines of its own, such as a heading, and is in no
// link or emphasis. The converter writes the cells of other tables without anything in between.
func rows(table *html.Node) bool {
	for n := range table.Descendants() {
		if isHeading(n) || n.DataAtom == atom.Hr || n.DataAtom == atom.Blockquote {
			return false
		}
	}
	for p := table.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.A, atom.Strong, atom.B, atom.Em, atom.I, atom.Del, atom.S, atom.Strike:
			return false
		default:
		}
	}
	return true
}

// lineCells writes the blocks in the cells of a table as lines, which a row can hold: paragraphs, and items of lists with their signs.
func lineCells(table *html.Node) {
	for n := range table.Descendants() {
		if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
			var l cellLines
			l.block(n)
		}
	}
}

// cellLines writes the blocks of a cell as lines.
type cellLines struct {
	begun bool // something is written
	due   bool // what comes next begins a line
}

// block writes what is in n, which becomes a part of a line.
func (l *cellLines) block(n *html.Node) {
	number := 0 // of the last item
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.TextNode || inLine(child) && !holdsBlocks(child):
			l.inline(child)
		case child.DataAtom == atom.Br:
			l.begun, l.due = true, false
		case child.DataAtom == atom.Pre:
			l.due = l.begun
			l.inline(child)
			l.due = l.begun
		default:
			l.due = l.begun
			if child.DataAtom == atom.Li {
				number++
				sign := text("• ")
				if n.DataAtom == atom.Ol {
					sign.Data = strconv.Itoa(number) + ". "
				}
				child.InsertBefore(sign, child.FirstChild)
			}
			l.block(child)
			l.due = l.begun
		}
		child = next
	}
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th && !inLine(n) {
		rename(n, atom.Span)
	}
}

// inline writes what is inside a line, after the break that is due.
func (l *cellLines) inline(n *html.Node) {
	if textSize(n, nil) == 0 && n.DataAtom != atom.Img && find(n, atom.Img) == nil {
		return
	}
	if l.due {
		n.Parent.InsertBefore(element(atom.Br), n)
	}
	l.begun, l.due = true, false
}
