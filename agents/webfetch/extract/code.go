package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// bareCode takes code out of elements that the libraries do not take for text: tables that only number its lines, with a cell for all numbers and a cell
// for all code, as Pygments, Rouge and Hexo write them; and figures, as Hexo and rehype-pretty-code write them.
func bareCode(root *html.Node) {
	var tables, figures []*html.Node
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Table:
			tables = append(tables, n)
		case atom.Figure:
			figures = append(figures, n)
		default:
		}
	}
	for _, table := range tables {
		if code := numbered(table); code != nil {
			code.Parent.RemoveChild(code)
			replace(table, code)
		}
	}
	for _, figure := range figures {
		for child := range figure.ChildNodes() {
			if child.DataAtom == atom.Pre {
				rename(figure, atom.Div)
			}
		}
	}
}

// numbered returns the code of a table that has two cells, the first with nothing but numbers, or nil.
func numbered(table *html.Node) *html.Node {
	var cells []*html.Node
	for n := range table.Descendants() {
		if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
			continue
		}
		if cells = append(cells, n); len(cells) > 2 {
			return nil
		}
	}
	if len(cells) != 2 {
		return nil
	}
	numbers := textOf(cells[0])
	if strings.Trim(numbers, "0123456789 \t\r\n") != "" || strings.TrimSpace(numbers) == "" {
		return nil
	}
	return find(cells[1], atom.Pre)
}

// keepCode keeps code between kept text, or directly after some. The libraries drop short code, and code in which each line is an anchor, but an
// explanation is worth little without its code.
func keepCode(runs []run, kept map[*html.Node]bool) {
	last := lastKept(runs, kept)
	begun, before := false, false // whether any text was kept so far, and whether the run before is
	for i, r := range runs {
		keeps := r.kept(kept)
		between := begun && i < last
		if !keeps && (isBlockOfCode(r) && (between || before) || between && isCode(r)) && !inSideContent(r.nodes[0]) {
			keeps = true
			keepRun(r, kept)
		}
		begun, before = begun || keeps, keeps
	}
}

func isBlockOfCode(r run) bool { return closest(r.nodes[0], atom.Pre) != nil }

// isCode reports whether r begins with code, such as a name in the columns of a reference, or one before its type.
func isCode(r run) bool {
	for _, n := range r.nodes {
		if strings.TrimSpace(n.Data) != "" {
			return closest(n, atom.Code) != nil
		}
	}
	return false
}
