package extract

import (
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// marked is the byte that the converter puts before each character that may need escaping.
var marked = marker.BytesMarkerEscaping[0]

// alwaysEscaped escapes every [ in text: the converter searches for a ] from each [, which takes minutes for a megabyte of them.
func alwaysEscaped(text []byte, at int) int {
	if text[at] == '[' {
		return 1
	}
	return -1
}

// unescaped stands for an underscore that is not escaped. Text has no such character any more (clean).
const unescaped = "\x02"

// keepUnderscores replaces the underscores between letters, as in snake_case, by unescaped: they never begin or end emphasis, and whoever copies a name
// or an address from Markdown copies the backslash, too.
func keepUnderscores(content *html.Node) {
	for n := range content.Descendants() {
		if n.Type == html.TextNode && strings.Contains(n.Data, "_") {
			n.Data = underscores.ReplaceAllStringFunc(n.Data, func(word string) string { return strings.ReplaceAll(word, "_", unescaped) })
		}
	}
}

// underscores are words with underscores inside.
var underscores = regexp.MustCompile(`[\pL\pN]+(?:_+[\pL\pN]+)+`)

// references are what CommonMark reads as a character in text, and in the texts of links and images (section 2.5).
var references = regexp.MustCompile(`&(?:[a-zA-Z][a-zA-Z0-9]*|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});`)

// escapeReferences escapes the references in s: on a page about HTML, they are what its readers have to type.
func escapeReferences(s string) string {
	return references.ReplaceAllStringFunc(s, func(reference string) string {
		if html.UnescapeString(reference) == reference {
			return reference // nothing has that name
		}
		return "&amp;" + reference[1:]
	})
}

// keepReferences escapes the references in the text of content; code has none.
func keepReferences(content *html.Node) {
	for n := range content.Descendants() {
		if n.Type == html.TextNode && strings.Contains(n.Data, "&") && !inCode(n) {
			n.Data = escapeReferences(n.Data)
		}
	}
}

// inCode reports whether the converter writes n as code.
func inCode(n *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		switch n.DataAtom {
		case atom.Pre, atom.Code, atom.Var, atom.Samp, atom.Kbd, atom.Tt:
			return true
		default:
		}
	}
	return false
}

// escapedInQuotes escapes whatever would begin a block inside a quotation. The converter looks at the beginning of a line only, where the quotation
// mark is.
func escapedInQuotes(text []byte, at int) int {
	begin := at
	switch {
	case strings.IndexByte("#-+*_=~`>|", text[at]) >= 0:
	case (text[at] == '.' || text[at] == ')') && (at+1 == len(text) || text[at+1] == ' ' || text[at+1] == '\n'):
		for begin > 0 && (text[begin-1] == marked || text[begin-1] >= '0' && text[begin-1] <= '9') {
			begin-- // the number of a list item
		}
	default:
		return -1
	}
	if beginsQuoted(text, begin) {
		return 1
	}
	return -1
}

// beginsQuoted reports whether there are only quotation marks between the beginning of the line and begin.
func beginsQuoted(text []byte, begin int) bool {
	quoted := false
	for i := begin - 1; i >= 0 && text[i] != '\n'; i-- {
		switch {
		case text[i] == ' ' || text[i] == marked:
		case text[i] == '>' && (i == 0 || text[i-1] != marked):
			quoted = true
		default:
			return false
		}
	}
	return quoted
}

// escapeAttributes escapes the attributes below n that are written in links and images. The converter escapes only quotes, and brackets without a
// preceding backslash.
func escapeAttributes(n *html.Node) {
	for d := range n.Descendants() {
		if d.DataAtom != atom.Img && d.DataAtom != atom.A {
			continue
		}
		for i, a := range d.Attr {
			switch a.Key {
			case "alt":
				d.Attr[i].Val = escapeReferences(inAlt.Replace(line(a.Val, maxValue)))
			case "title":
				d.Attr[i].Val = escapeReferences(inTitle.Replace(line(a.Val, maxValue)))
			case "href", "src":
				d.Attr[i].Val = strings.ReplaceAll(a.Val, "|", "%7C")
			}
		}
	}
}

var (
	inAlt   = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "`", "\\`", `<`, `\<`, `>`, `\>`, `|`, `\|`)
	inTitle = strings.NewReplacer(`\`, `\\`, `|`, `\|`)
)

// flattenCode changes code in table cells to what a table row can hold: inline code without line breaks and bars.
func flattenCode(content *html.Node) {
	var codes []*html.Node
	for n := range content.Descendants() {
		if (n.DataAtom == atom.Pre || n.DataAtom == atom.Code) && (closest(n, atom.Td) != nil || closest(n, atom.Th) != nil) {
			codes = append(codes, n)
		}
	}
	for _, code := range codes {
		lines := strings.Split(strings.ReplaceAll(textOf(code), "|", `\|`), "\n")
		if code.DataAtom == atom.Code {
			lines = []string{strings.Join(lines, " ")}
		}
		for code.FirstChild != nil {
			code.RemoveChild(code.FirstChild)
		}
		rename(code, atom.Span)
		for _, line := range lines {
			if strings.TrimSpace(line) == "" {
				continue
			}
			if code.FirstChild != nil {
				code.AppendChild(element(atom.Br))
			}
			code.AppendChild(element(atom.Code, text(line)))
		}
	}
}
