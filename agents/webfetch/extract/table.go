package extract

import (
	"strconv"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of tables. The converter allocates each cell that spans and short rows imply: without limits, 150 bytes with colspan="9007199254740991" end
// the process.
const (
	maxSpan  = 1000    // columns or rows of one cell; the HTML standard has the same limit for columns
	maxCells = 200_000 // in all tables together
)

// boundTables shortens spans, then drops them, and finally turns tables into plain blocks, until all tables together stay within maxCells.
func boundTables(content *html.Node) {
	left := maxCells
	goquery.NewDocumentFromNode(content).Find("table").Each(func(_ int, t *goquery.Selection) {
		if places(t.Nodes[0]) || !rows(t.Nodes[0]) {
			asBlocks(t.Nodes[0])
			return
		}
		clampSpans(t)
		if cells(t) > left {
			t.Find("[colspan], [rowspan]").RemoveAttr("colspan").RemoveAttr("rowspan")
		}
		if n := cells(t); n <= left {
			left -= n
			lineCells(t.Nodes[0])
			return
		}
		asBlocks(t.Nodes[0])
	})
}

// places reports whether a table only puts things in their places: it holds other tables, or has one row and no head.
func places(table *html.Node) bool {
	rows, heads := 0, 0
	for n := range table.Descendants() {
		switch n.DataAtom {
		case atom.Table:
			return true
		case atom.Tr:
			rows++
		case atom.Th:
			heads++
		default:
		}
	}
	return rows == 1 && heads == 0
}

// asBlocks makes a table and its cells blocks, but not the tables in it.
func asBlocks(n *html.Node) {
	switch n.DataAtom {
	case atom.Table, atom.Tr, atom.Td, atom.Th, atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption:
		rename(n, atom.Div)
	default:
	}
	for child := range n.ChildNodes() {
		if child.DataAtom != atom.Table {
			asBlocks(child)
		}
	}
}

func clampSpans(t *goquery.Selection) {
	for _, attr := range []string{"colspan", "rowspan"} {
		t.Find("[" + attr + "]").Each(func(_ int, cell *goquery.Selection) {
			n, err := strconv.Atoi(cell.AttrOr(attr, ""))
			if err != nil || n <= 1 {
				cell.RemoveAttr(attr)
				return
			}
			cell.SetAttr(attr, strconv.Itoa(min(n, maxSpan)))
		})
	}
}

// cells returns an upper bound of the cells that the converter makes for t, whose spans are shortened already. Spans displace other cells, so each of
// them may widen the same row.
func cells(t *goquery.Selection) int {
	rows, widest, tallest, spanned := 1, 1, 0, 0
	t.Find("tr").Each(func(_ int, row *goquery.Selection) {
		rows++
		inRow := row.Find("td, th")
		widest = max(widest, inRow.Length())
		inRow.Each(func(_ int, cell *goquery.Selection) {
			height := span(cell, "rowspan")
			spanned += span(cell, "colspan")*height - 1
			tallest = max(tallest, height)
		})
	})
	return (rows + tallest) * (widest + spanned)
}

func span(cell *goquery.Selection, attr string) int {
	n, err := strconv.Atoi(cell.AttrOr(attr, "1"))
	if err != nil {
		return 1
	}
	return n
}
