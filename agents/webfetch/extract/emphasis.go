package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// emphases are the elements that Markdown writes as signs around their text.
var emphases = map[atom.Atom]bool{
	atom.B: true, atom.Strong: true, atom.Em: true, atom.I: true, atom.Del: true, atom.S: true, atom.Strike: true,
}

// bareEmphasis takes the punctuation at either end of emphasised text out of it where a letter comes next: between punctuation and a letter, the signs
// of CommonMark are plain asterisks (https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis). Scripts without spaces between words have many
// such places.
func bareEmphasis(content *html.Node) {
	var all []*html.Node
	for n := range content.Descendants() {
		if emphases[n.DataAtom] {
			all = append(all, n)
		}
	}
	for _, n := range all {
		if isLetter(beside(n, true)) {
			bareEnd(n, true)
		}
		if isLetter(beside(n, false)) {
			bareEnd(n, false)
		}
	}
}

// isLetter reports whether r is neither punctuation nor a space, nor the 0 of no rune.
func isLetter(r rune) bool { return r != 0 && !unicode.IsSpace(r) && !isPunctuation(r) }

// isPunctuation is CommonMark's Unicode punctuation.
func isPunctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// beside returns the character that will stand after n in its line, or before it, or 0 if there is none. Where a sign of Markdown stands, it is a sign.
func beside(n *html.Node, after bool) rune {
	next := neighbour(n, after)
	for next == nil {
		if n = n.Parent; n == nil || !inLine(n) {
			return 0
		}
		if n.DataAtom == atom.A {
			return ']'
		}
		next = neighbour(n, after)
	}
	for next.Type == html.ElementNode {
		switch {
		case next.DataAtom == atom.A, next.DataAtom == atom.Code, next.DataAtom == atom.Img, emphases[next.DataAtom]:
			return '*'
		case !inLine(next):
			return 0
		}
		if next = childAt(next, !after); next == nil {
			return 0
		}
	}
	if next.Data == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(next.Data)
	if !after {
		r, _ = utf8.DecodeLastRuneInString(next.Data)
	}
	return r
}

// bareEnd takes the punctuation at the end of n, or at its beginning, out of n. If there is nothing else there, n is no longer emphasised.
func bareEnd(n *html.Node, end bool) {
	at := n
	for at.Type == html.ElementNode {
		if at.DataAtom == atom.A || at.DataAtom == atom.Code || childAt(at, end) == nil {
			rename(n, atom.Span)
			return
		}
		at = childAt(at, end)
	}
	trim := strings.TrimLeftFunc
	if end {
		trim = strings.TrimRightFunc
	}
	left := trim(at.Data, isPunctuation)
	switch {
	case left == at.Data:
	case strings.TrimSpace(left) == "":
		rename(n, atom.Span)
	case end:
		n.Parent.InsertBefore(text(at.Data[len(left):]), n.NextSibling)
		at.Data = left
	default:
		n.Parent.InsertBefore(text(at.Data[:len(at.Data)-len(left)]), n)
		at.Data = left
	}
}

func neighbour(n *html.Node, after bool) *html.Node {
	if after {
		return n.NextSibling
	}
	return n.PrevSibling
}

func childAt(n *html.Node, end bool) *html.Node {
	if end {
		return n.LastChild
	}
	return n.FirstChild
}
