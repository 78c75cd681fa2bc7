package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plainText returns the text below n: one line for each block, blank lines between paragraphs, list items with a dash, table cells separated by tabs,
// preformatted text unchanged.
func plainText(n *html.Node) string {
	var w textWriter
	w.node(n, false)
	return strings.TrimSpace(w.out.String())
}

// textWriter collects text, with no more spacing than blocks ask for.
type textWriter struct {
	out    strings.Builder
	breaks int  // line breaks to write before the next text
	space  bool // a space is to be written before the next text
	item   bool // the dash of a list item is to be written before the next text; empty items get none
}

func (w *textWriter) node(n *html.Node, pre bool) {
	if n.Type == html.TextNode {
		w.text(n.Data, pre)
		return
	}
	breaks := breaksAround[n.DataAtom]
	if n.Parent != nil && n.Parent.DataAtom == atom.Li {
		breaks = min(breaks, 1) // a list inside a list belongs to its item
	}
	w.breaks = max(w.breaks, breaks)
	if n.DataAtom == atom.Br {
		w.breaks++
	}
	w.item = w.item || n.DataAtom == atom.Li
	for child := range n.ChildNodes() {
		w.node(child, pre || n.DataAtom == atom.Pre)
	}
	w.item = w.item && n.DataAtom != atom.Li
	if (n.DataAtom == atom.Td || n.DataAtom == atom.Th) && n.NextSibling != nil {
		w.write("\t")
	}
	w.breaks = max(w.breaks, breaks)
}

// breaksAround are the line breaks before and after an element. Two make a blank line.
var breaksAround = map[atom.Atom]int{
	atom.P: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2, atom.Ul: 2, atom.Ol: 2, atom.Dl: 2,
	atom.Table: 2, atom.Pre: 2, atom.Blockquote: 2, atom.Section: 2, atom.Article: 2, atom.Figure: 2, atom.Hr: 2,

	atom.Div: 1, atom.Li: 1, atom.Tr: 1, atom.Dt: 1, atom.Dd: 1, atom.Header: 1, atom.Main: 1, atom.Address: 1, atom.Figcaption: 1,
	atom.Caption: 1, atom.Details: 1, atom.Summary: 1, atom.Form: 1, atom.Fieldset: 1,
}

func (w *textWriter) text(s string, pre bool) {
	if pre {
		body := strings.TrimSuffix(s, "\n")
		w.write(body)
		w.breaks += len(s) - len(body)
		return
	}
	words := strings.Fields(s)
	if strings.TrimLeftFunc(s, unicode.IsSpace) != s {
		w.space = true
	}
	if len(words) == 0 {
		return
	}
	w.write(strings.Join(words, " "))
	w.space = strings.TrimRightFunc(s, unicode.IsSpace) != s
}

// write writes the spacing that is due, and then s.
func (w *textWriter) write(s string) {
	if s == "" {
		return
	}
	switch {
	case w.breaks > 0:
		w.out.WriteString(strings.Repeat("\n", min(w.breaks, 2)))
	case w.space:
		w.out.WriteByte(' ')
	}
	if w.item {
		w.out.WriteString("- ")
	}
	w.breaks, w.space, w.item = 0, false, false
	w.out.WriteString(s)
}
