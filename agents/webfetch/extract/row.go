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

// keepInnerTables keeps the tables in cells of a table without a head of which nine tenths of everything else was kept, unless they are of links. The
// libraries read no tables in cells.
func keepInnerTables(runs []run, kept map[*html.Node]bool) {
	shares := map[*html.Node]*innerShare{} // by outermost table
	for _, r := range runs {
		row := rowOf(r)
		if row == nil {
			continue
		}
		outer := closest(row, atom.Table)
		if shares[outer] == nil {
			shares[outer] = &innerShare{}
		}
		shares[outer].add(r, closest(r.nodes[0], atom.Table) != outer, kept)
	}
	for _, s := range shares {
		if len(s.inner) == 0 || s.kept == 0 || s.kept*10 < s.around*9 || s.linked*2 > s.size || inSideContent(s.inner[0].nodes[0]) {
			continue
		}
		for _, r := range s.inner {
			keepRun(r, kept)
		}
	}
}

// innerShare is what is in the tables in cells of a table, and how much, in bytes.
type innerShare struct {
	inner        []run
	size, linked int // of inner
	around, kept int // of everything else in the table
}

func (s *innerShare) add(r run, inner bool, kept map[*html.Node]bool) {
	switch {
	case inner:
		s.inner, s.size, s.linked = append(s.inner, r), s.size+len(r.text), s.linked+r.linked(anyLink)
	case r.kept(kept):
		s.around, s.kept = s.around+len(r.text), s.kept+len(r.text)
	default:
		s.around += len(r.text)
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
