package pdftext

import (
	"math"
	"slices"
	"strings"
)

// Gaps that separate words, lines and paragraphs, in units of the font size: most programs write neither spaces nor line breaks, but move the position.
const (
	wordGap      = 0.2
	lineGap      = 0.4
	paragraphGap = 1.9

	guessedWidth = 0.55 // of a letter, if the font does not state its width
	guessedGap   = 1.0  // between words in such a font
)

// show executes an operator that shows text: a string, or an array of strings and of offsets between them.
func (p *page) show(op string, operands []operand) {
	if op == "'" || op == `"` {
		p.position("T*", nil)
	}
	if len(operands) == 0 || op == "Tj" && len(operands) > 1 {
		panic(errOperator)
	}
	if p.moved {
		p.separate()
	}
	shown := operands[len(operands)-1]
	if shown.kind == 's' {
		p.showString(shown.text)
		return
	}
	for _, part := range shown.list {
		if part.kind == 's' {
			p.showString(part.text)
			continue
		}
		offset := -part.number / 1000
		if offset > wordGap && !p.isHidden() {
			p.text.separate(" ")
		}
		p.advance += offset * p.fontSize * p.scale
	}
}

// separate writes what separates the next letters from the last ones, which it tells from where both are on the page.
func (p *page) separate() {
	now := p.textMatrix.times(p.ctm)
	if last := p.last; last != nil {
		square := now[0]*now[0] + now[1]*now[1]
		x, y := now[4]-last[4], now[5]-last[5]
		along, across := (x*now[0]+y*now[1])/square, (y*now[0]-x*now[1])/square // the line of the next letters
		if separator := p.separator(along, math.Abs(across)); separator != "" {
			p.text.separate(separator)
		}
		if along < 0 {
			p.text.turnBack()
		}
	}
	p.last, p.advance, p.moved, p.lines, p.guessed = &now, 0, false, 0, false
}

// separator returns what separates letters that begin at a distance from the last ones, along the line and across it.
func (p *page) separator(along, across float64) string {
	gap := wordGap
	if p.guessed {
		gap = guessedGap
	}
	switch {
	case p.lines > 1 || p.lines == 0 && across > paragraphGap*p.fontSize:
		return "\n\n"
	case p.lines == 1 || across > lineGap*p.fontSize:
		return "\n"
	case along-p.advance > gap*p.fontSize || along < 0:
		return " "
	}
	return ""
}

func (p *page) showString(raw string) {
	text, width, letters, spaces := p.font.decode(raw)
	if !p.isHidden() {
		unpainted := p.mode == 3 || p.mode == 7
		p.text.add(ligatures.Replace(text), unpainted, p.isOutside())
		if len(p.text.all.text) > p.document.most {
			panic(ErrWork)
		}
	}
	if math.IsNaN(width) {
		width, p.guessed = guessedWidth*1000*float64(letters), true
	}
	p.advance += (width/1000*p.fontSize + float64(letters)*p.charSpacing + float64(spaces)*p.wordSpacing) * p.scale
}

// ligatures become the letters that they consist of, as which readers search for them.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// height returns the height of letters in points.
func (p *page) height() float64 {
	return p.fontSize * p.ctm.scale() * math.Hypot(p.textMatrix[2], p.textMatrix[3])
}

// isHidden reports whether letters are too small to read, white on white paper, transparent, or in optional content that is hidden.
func (p *page) isHidden() bool {
	tooSmall := p.height() < minHeight && !p.font.type3
	return tooSmall || p.white && !p.painted || p.transparent || slices.Contains(p.marks, true)
}

// isOutside reports whether the next letters are beside the page.
func (p *page) isOutside() bool {
	if p.canvas.box == nil {
		return false
	}
	at := translation(p.advance, 0).times(p.textMatrix).times(p.ctm)
	left, bottom, right, top := p.canvas.box[0], p.canvas.box[1], p.canvas.box[2], p.canvas.box[3]
	reach := (right - left) / 4 // from where letters may run into the page
	return at[5] < bottom-p.height() || at[5] > top+p.height() || at[4] > right || at[4] < left-reach
}
