package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quorate/quorate/platform/bounded"
)

// clean removes characters that a reader cannot see but a language model can: controls, direction marks, fillers, and the tags and variation
// selectors in which text can be hidden, one byte in each (https://www.unicode.org/reports/tr36/). A character that shapes the one before it is kept,
// once: in an emoji, a ligature or an ideograph.
func clean(s string) string {
	var last rune // the last one that was kept
	return strings.Map(func(r rune) rune {
		if unseen(r) && !shapes(r, last) {
			return -1
		}
		last = r
		return r
	}, s)
}

// unseen reports whether r has no visible form of its own.
func unseen(r rune) bool {
	switch {
	case r < 0xa0:
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f
	case r < 0xad, r > 0x3164 && r < 0xfe00: // the common case
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r), r >= 0x13430 && r <= 0x1345f: // signs around numbers, and hieroglyphs
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// shapes reports whether r, which is unseen, changes the form of last as Unicode intends.
func shapes(r, last rune) bool {
	switch {
	case r == 0x200c || r == 0x200d: // (zero width) non-joiner and joiner
		return joined(last)
	case r == 0xfe0e || r == 0xfe0f: // as text, as emoji
		return unicode.In(last, unicode.S, unicode.P, unicode.Nd) || last == 0x2139
	case r >= 0xfe00 && r <= 0xfe0d:
		return unicode.In(last, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa) || last > 0x7f && unicode.IsPunct(last)
	case r >= 0x180b && r <= 0x180d || r == 0x180f:
		return unicode.Is(unicode.Mongolian, last)
	case r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, last)
	}
	return false
}

// joined reports whether last can be joined to what follows: letters of scripts that join, and emoji.
func joined(last rune) bool {
	if unicode.In(last, unicode.L, unicode.M, unicode.Nd) {
		return last == 0xfe0f || last > 0x7f && !unicode.In(last, joinless...)
	}
	return unicode.In(last, unicode.So, unicode.Sk)
}

// joinless are the scripts without joined letters.
var joinless = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Variation_Selector}

// cleanTree cleans n and what is below it, with a warning if that changes anything. It must come before writing: afterwards "<sc\x01ript>" would
// become an element that nobody has checked, and backquotes with "\u200b" between them the end of a code block.
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
			n.Data, n.DataAtom = "span", atom.Span // no browser knows such an element
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

// cleanText cleans the text of c, with a warning if that changes anything.
func (c *Content) cleanText() {
	if shown := clean(c.Text); len(shown) != len(c.Text) {
		c.Text = shown
		c.warn(WarnInvisible)
	}
}

// line returns s on one line of at most n characters, without invisible characters.
func line(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n] // bounds the work; a rune that is cut here comes after the end anyway
	}
	return bounded.Characters(strings.Join(strings.Fields(clean(strings.ToValidUTF8(s, "\ufffd"))), " "), n)
}
