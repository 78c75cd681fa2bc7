package pdftext

import (
	"strings"

	"github.com/ledongthuc/pdf"
)

// The letters of the font Symbol by their codes, from the space and from 0xA0 on (ISO 32000-1, D.5).
const (
	symbolLow = " !∀#∃%&∋()∗+,−./0123456789:;<=>?" +
		"≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_" +
		"‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
	symbolHigh = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵" +
		"ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓" +
		"◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)

// The signs of the font ZapfDingbats by their codes (ISO 32000-1, D.6). Unicode has most of them in the same order; others are the exceptions here.
const (
	dingbatsLow   = 0x2701 // from 0x21 on
	dingbatsHigh  = 0x2761 // from 0xA1 on
	otherDingbats = "%☎*☛+☞H★l●n■s▲t▼u◆w◗\u00a8♣\u00a9♦\u00aa♥\u00ab♠\u00ac①\u00ad②\u00ae③\u00af④\u00b0⑤\u00b1⑥\u00b2⑦\u00b3⑧\u00b4⑨\u00b5⑩\u00d5→\u00d6↔\u00d7↕"
)

// signsOf returns what the codes of a font of signs stand for. ok is false for a font of letters, and when the file states another encoding.
func signsOf(v pdf.Value) (signs [256]string, ok bool) {
	encoding := v.Key("Encoding")
	if encoding.Name() != "" || encoding.Key("BaseEncoding").Name() != "" {
		return signs, false
	}
	name := v.Key("BaseFont").Name()
	if _, untagged, tagged := strings.Cut(name, "+"); tagged {
		name = untagged
	}
	for code := range signs {
		signs[code] = "\ufffd"
	}
	put := func(first int, letters string) {
		for _, letter := range letters {
			signs[first] = string(letter)
			first++
		}
	}
	switch name, _, _ = strings.Cut(name, ","); name {
	case "Symbol", "SymbolMT":
		put(' ', symbolLow)
		put(0xa0, symbolHigh)
		return signs, true
	case "ZapfDingbats":
		signs[' '] = " "
		for code := 0x21; code < 0xff; code++ {
			switch {
			case code < 0x7f:
				signs[code] = string(rune(dingbatsLow + code - 0x21))
			case code > 0xa0 && code != 0xf0:
				signs[code] = string(rune(dingbatsHigh + code - 0xa1))
			}
		}
		others := []rune(otherDingbats)
		for i := 0; i < len(others); i += 2 {
			signs[others[i]] = string(others[i+1])
		}
		return signs, true
	}
	return signs, false
}
