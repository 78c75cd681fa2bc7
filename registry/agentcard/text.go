package agentcard

import (
	"fmt"
	"unicode"
)

// concealing are characters that make people see another text than programs read: they reverse the writing direction or carry invisible bytes.
// Direction marks and joiners are not among them, since languages need those.
var concealing = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x202A, Hi: 0x202E, Stride: 1}, // embeddings and overrides
		{Lo: 0x2066, Hi: 0x2069, Stride: 1}, // isolates
		{Lo: 0xFFF9, Hi: 0xFFFB, Stride: 1}, // interlinear annotations
	},
	R32: []unicode.Range32{
		{Lo: 0xE0000, Hi: 0xE007F, Stride: 1}, // tags
		{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}, // variation selectors beyond those of emoji
	},
}

// invisible are characters without width. Some get into honest texts by accident.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x180E, Hi: 0x180E, Stride: 1},
		{Lo: 0x200B, Hi: 0x200B, Stride: 1},
		{Lo: 0x2060, Hi: 0x2064, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1},
	},
}

// conceals reports whether people see another text than programs read because of c.
func conceals(c rune) bool {
	return unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t' || unicode.Is(concealing, c)
}

func isInvisible(c rune) bool { return unicode.Is(invisible, c) }

// first returns the first character of text that is one of those.
func first(text string, isOne func(rune) bool) (c rune, found bool) {
	for _, c := range text {
		if isOne(c) {
			return c, true
		}
	}
	return 0, false
}

// visible refuses card text with control or concealing characters, and warns of invisible ones. People read a card, and models elsewhere read it too:
// both must see the same text.
func (r *reader) visible(field, text string) {
	if c, found := first(text, conceals); found {
		r.wrong(field, "the character %U hides what the text says", c)
	} else if c, found := first(text, isInvisible); found {
		r.warn("CARD_TEXT_INVISIBLE", field, fmt.Sprintf("the invisible character %U is in the text", c))
	}
}

// oneLine refuses line breaks and tabs in what callers ask for by its name. What nobody sees is left to visible: cards are made by others, and tags such as emoji
// may well have it.
func (r *reader) oneLine(field, text string) {
	if c, found := first(text, unicode.IsControl); found {
		r.wrong(field, "the character %U is no part of a name in one line", c)
	}
}
