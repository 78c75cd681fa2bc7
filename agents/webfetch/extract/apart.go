package extract

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// keepApart puts a space between elements of a line that follow each other without one, when their classes say that they are different things, such as
// the title and the date of an entry: the page's style sheets put them apart.
func keepApart(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if next := child.NextSibling; next != nil && different(child, next) && joinWords(child, next) {
			n.InsertBefore(text(" "), next)
		}
		if child.DataAtom != atom.Pre && child.DataAtom != atom.Code {
			keepApart(child)
		}
	}
}

// different reports whether two elements of a line have different classes.
func different(a, b *html.Node) bool {
	if a.Type != html.ElementNode || b.Type != html.ElementNode || !inLine(a) || !inLine(b) {
		return false
	}
	one, other := attribute(a, "class"), attribute(b, "class")
	return one != other && (one != "" && other != "" || a.DataAtom == b.DataAtom)
}

// joinWords reports whether the text of a ends with a word, and that of b begins with one. A single letter is a part of a word, such as its first one in
// another size.
func joinWords(a, b *html.Node) bool {
	for a.LastChild != nil {
		a = a.LastChild
	}
	for b.FirstChild != nil {
		b = b.FirstChild
	}
	if a.Type != html.TextNode || b.Type != html.TextNode {
		return false
	}
	last, lastSize := utf8.DecodeLastRuneInString(a.Data)
	first, firstSize := utf8.DecodeRuneInString(b.Data)
	return ofWord(last, lastSize < len(a.Data)) && ofWord(first, firstSize < len(b.Data))
}

// ofWord reports whether r, which may stand beside others, is of a word in a script that has spaces between words.
func ofWord(r rune, beside bool) bool {
	return unicode.IsDigit(r) || beside && unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
