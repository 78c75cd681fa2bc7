package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of tables that hold a page. The largest cell of a smaller one is a value rather than text.
const (
	minColumn      = 500 // bytes
	minColumnParts = 3   // paragraphs, lists and line breaks
	maxLayouts     = 8   // tables in one another that are looked at: each reads its text again
)

// plainLayout makes blocks of the tables below n that only put the text of a page beside its menu. The libraries read what is in a cell as a value, and
// lose lists and what is behind them.
func plainLayout(n *html.Node) { plainLayoutWithin(n, 0) }

func plainLayoutWithin(n *html.Node, tables int) {
	if n.DataAtom == atom.Table {
		if tables++; tables > maxLayouts {
			return
		}
		if holdsColumn(n) {
			asBlocks(n)
		}
	}
	for child := range n.ChildNodes() {
		plainLayoutWithin(child, tables)
	}
}

// holdsColumn reports whether one cell of a table without a head has more than half of its text, and in several parts.
func holdsColumn(table *html.Node) bool {
	var cells []*html.Node
	var collect func(n *html.Node) bool
	collect = func(n *html.Node) bool {
		for child := range n.ChildNodes() {
			switch child.DataAtom {
			case atom.Th, atom.Thead, atom.Caption:
				return false
			case atom.Td:
				cells = append(cells, child)
			default:
				if !collect(child) {
					return false
				}
			}
		}
		return true
	}
	if !collect(table) {
		return false
	}
	var largest *html.Node
	whole, most := 0, 0
	for _, cell := range cells {
		size := textSize(cell, isControl)
		if whole += size; size > most {
			largest, most = cell, size
		}
	}
	return most >= minColumn && most*2 > whole && partsIn(largest) >= minColumnParts
}

// partsIn counts the elements below cell that divide its text, without those in other tables.
func partsIn(cell *html.Node) (parts int) {
	for child := range cell.ChildNodes() {
		switch child.DataAtom {
		case atom.P, atom.Br, atom.Ul, atom.Ol, atom.H1, atom.H2, atom.H3, atom.H4, atom.Blockquote, atom.Pre:
			parts++
		case atom.Table:
		default:
			parts += partsIn(child)
		}
	}
	return parts
}
