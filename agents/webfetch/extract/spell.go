package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// spell writes below n in characters what HTML says by the form of text, and what plain text and Markdown would lose: 10 to the power of 6 is not 106.
func spell(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.DataAtom {
		case atom.Sup:
			raise(child, raised)
		case atom.Sub:
			raise(child, lowered)
		case atom.Math:
			child = spellFormula(child)
			continue
		case atom.Rt:
			if before := child.PrevSibling; before == nil || before.DataAtom != atom.Rp {
				enclose(child, "(", ")")
			}
		case atom.Q:
			enclose(child, "“", "”")
		default:
		}
		spell(child)
	}
}

// Limits of what is spelled, in bytes.
const (
	maxRaised  = 16   // an index
	maxFormula = 4096 // a formula
)

var (
	raised  = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "+", "⁺", "-", "⁻", "−", "⁻", "n", "ⁿ", "i", "ⁱ")
	lowered = strings.NewReplacer("0", "₀", "1", "₁", "2", "₂", "3", "₃", "4", "₄", "5", "₅", "6", "₆", "7", "₇", "8", "₈", "9", "₉", "+", "₊", "-", "₋", "−", "₋")
)

// raise writes an index with the characters that there are for it, if there are for all of it.
func raise(n *html.Node, signs *strings.Replacer) {
	if text := textOf(n); len(text) > maxRaised || !allOf(text, signs) {
		return
	}
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			d.Data = signs.Replace(d.Data)
		}
	}
}

// allOf reports whether there are signs for all of text.
func allOf(text string, signs *strings.Replacer) bool {
	for _, r := range strings.TrimSpace(text) {
		if sign := string(r); signs.Replace(sign) == sign {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

func enclose(n *html.Node, begin, end string) {
	n.InsertBefore(text(begin), n.FirstChild)
	n.AppendChild(text(end))
}

// spellFormula replaces a formula by its TeX, if the page states it, or by what it says in a line. It returns the replacement.
func spellFormula(math *html.Node) *html.Node {
	line := formulaOf(math)
	said := text(line)
	if strings.ContainsAny(line, `\_^{}`) { // its signs mean something else in Markdown
		said = code(line)
	}
	replace(math, said)
	return said
}

func code(s string) *html.Node { return element(atom.Code, text(s)) }

// formulaOf returns a formula in a line.
func formulaOf(math *html.Node) string {
	for d := range math.Descendants() {
		if d.Data == "annotation" {
			return tex(textOf(d))
		}
	}
	if textSize(math, nil) > maxFormula { // each level copies it
		return textOf(math)
	}
	return strings.Join(strings.Fields(inALine(math)), " ")
}

// unshown reports whether n is a part of a formula that browsers do not show: a space as large as its content, or a note about it. TeX is such a note,
// and is kept when it is some.
func unshown(n *html.Node) bool {
	switch n.Data {
	case "mphantom":
		return true
	case "annotation", "annotation-xml":
		said, plain := ownTextOf(n, maxFormula)
		return !plain || !strings.Contains(attribute(n, "encoding"), "tex") || !isTeX(said)
	}
	return false
}

// isTeX reports whether s may be TeX: neither empty, nor long, nor text, which has words in a row that are no commands.
func isTeX(s string) bool {
	return strings.TrimSpace(s) != "" && len(s) <= maxFormula && !inWords.MatchString(s)
}

var inWords = regexp.MustCompile(`(?:^|[^\\A-Za-z])[A-Za-z]{3,}(?:[^\\A-Za-z0-9]+[A-Za-z]{3,}){2}`)

// tex returns TeX without what MediaWiki puts around it.
func tex(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if inner, found := strings.CutPrefix(s, `{\displaystyle `); found && strings.HasSuffix(inner, "}") {
		return strings.TrimSuffix(inner, "}")
	}
	return s
}

// inALine returns MathML with the signs of TeX for what stands above, below and beneath other things.
func inALine(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var parts []string
	var whole strings.Builder
	for child := range n.ChildNodes() {
		part := inALine(child)
		whole.WriteString(part)
		if child.Type == html.ElementNode {
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	switch n.Data {
	case "msqrt":
		return "√(" + strings.TrimSpace(whole.String()) + ")"
	case "mtr":
		return strings.Join(parts, ", ") + "; "
	}
	if len(parts) == 2 {
		return ofTwo(n.Data, parts[0], parts[1], whole.String())
	}
	if len(parts) == 3 && (n.Data == "msubsup" || n.Data == "munderover") {
		return parts[0] + index(parts[1], "_", lowered) + index(parts[2], "^", raised)
	}
	return whole.String()
}

// ofTwo returns what an element of MathML says of its two parts, or else the whole.
func ofTwo(name, first, second, whole string) string {
	switch name {
	case "mfrac":
		return grouped(first) + "/" + grouped(second)
	case "mroot":
		return "√[" + second + "](" + first + ")"
	case "msup", "mover":
		return first + index(second, "^", raised)
	case "msub", "munder":
		return first + index(second, "_", lowered)
	}
	return whole
}

// grouped puts a part of a fraction in parentheses, unless it is one sign or number.
func grouped(part string) string {
	if len([]rune(part)) == 1 || strings.Trim(part, "0123456789.") == "" {
		return part
	}
	return "(" + part + ")"
}

func index(part, mark string, signs *strings.Replacer) string {
	switch {
	case allOf(part, signs):
		return signs.Replace(part)
	case len([]rune(part)) == 1:
		return mark + part
	}
	return mark + "{" + part + "}"
}
