package extract

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// clean drops characters that a reader cannot see and a language model can: controls, direction marks and the tag block,
// which carries hidden text (https://www.unicode.org/reports/tr36/).
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, // controls
			r == 0x200b, r == 0x2060, r == 0xfeff, // zero width
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // direction
			r >= 0xe0000 && r <= 0xe007f: // tags
			return -1
		}
		return r
	}, s)
}

// cleanTree cleans n and what is below it, and warns if that changed anything. It goes before writing: in what is written,
// "<sc\x01ript>" would become an element that nobody looked at, and "“\u200b`" the end of a block of code.
func (c *Content) cleanTree(n *html.Node) {
	changed := false
	shown := func(s string) string {
		cleaned := clean(s)
		changed = changed || len(cleaned) != len(s)
		return cleaned
	}
	cleanNode := func(n *html.Node) {
		name := n.Data
		n.Data = shown(name)
		if n.Type == html.ElementNode && n.Data != name {
			n.Data, n.DataAtom = "span", atom.Span // an element that no browser knows
		}
		for i, a := range n.Attr {
			n.Attr[i].Key, n.Attr[i].Val = shown(a.Key), shown(a.Val)
		}
	}
	cleanNode(n)
	for d := range n.Descendants() {
		cleanNode(d)
	}
	if changed {
		c.warn(WarnInvisible)
	}
}

// line returns s on one line, at most n characters long, without invisible characters.
func line(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n] // keeps the work small; a cut rune becomes a mark and is behind the end
	}
	return prefix(strings.Join(strings.Fields(clean(strings.ToValidUTF8(s, "\ufffd"))), " "), n)
}

// prefix returns the first n characters of s.
func prefix(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
