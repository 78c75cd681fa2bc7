package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// keepRows keeps what was lost of the rows of tables with a head: a row without one of its cells says something else. The libraries read neither lists nor
// tables in cells.
func keepRows(runs []run, kept map[*html.Node]bool) {
	begun := map[*html.Node]bool{} // rows of which something was kept
	for _, r := range runs {
		if r.kept(kept) {
			begun[rowOf(r)] = true
		}
	}
	delete(begun, nil)
	headed := map[*html.Node]bool{} // whether a table has a head
	for _, r := range runs {
		if row := rowOf(r); begun[row] && !inSideContent(r.nodes[0]) && headedTable(headed, row) {
			keepRun(r, kept)
		}
	}
}

// rowOf returns the row of the outermost table around r, or nil.
func rowOf(r run) (row *html.Node) {
	for p := r.nodes[0].Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Tr {
			row = p
		}
	}
	return row
}

// headedTable reports whether the table of a row has a head. known has those that were looked at.
func headedTable(known map[*html.Node]bool, row *html.Node) bool {
	table := closest(row, atom.Table)
	headed, looked := known[table]
	if !looked {
		headed = table != nil && find(table, atom.Th) != nil
		known[table] = headed
	}
	return headed
}
