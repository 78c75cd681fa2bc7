package extract

import (
	"math"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Where words and lines of a PDF end, in units of the letter size: most programs write neither spaces nor line breaks, but move the position.
const (
	wordGap  = 0.2
	lineGap  = 0.4
	blockGap = 1.9

	usualWidth = 0.55 // of a letter of a font that does not tell
	guessedGap = 1.0  // the gap between words of such a font
)

const (
	maxStates = 256 // that operators may save
	speck     = 1.0 // points: smaller letters are not legible
	nearWhite = 0.99
)

// pdfState is the state that the operators q and Q save and restore.
type pdfState struct {
	font                  *pdfFont
	size                  float64 // of letters
	letter, word, leading float64 // spacing
	stretch               float64 // of what a letter takes; 1 is as usual
	drawn                 matrix  // from drawing coordinates to the page
	white                 bool
	clear                 bool // drawn fully transparent
	mode                  int  // text rendering mode
}

// pdfPage collects the text of a page from its operators, and leaves out what is not visible.
type pdfPage struct {
	pdfState

	book    *pdfBook
	states  []pdfState
	words   pdfWords
	paper   pdfPaper
	marks   []bool // for each open marked content, whether it is on a hidden layer
	depth   int    // of forms within forms
	painted bool   // something other than white was drawn, so white letters may be on top of it

	matrix  matrix  // from text coordinates to drawing coordinates
	moved   bool    // since the last letters
	lines   int     // that operators ended since then
	last    *matrix // from the text coordinates of the last letters to the page; nil before the first
	advance float64 // from there to the end of the last letters
	guessed bool    // the font does not tell how wide they are
}

func newPDFPage(book *pdfBook, paper pdfPaper) *pdfPage {
	return &pdfPage{pdfState: beginState(), book: book, paper: paper}
}

// beginState returns the state in which a page begins.
func beginState() pdfState {
	return pdfState{drawn: identity, stretch: 1, font: &pdfFont{usual: math.NaN()}}
}

// run executes the operators of a stream.
func (p *pdfPage) run(contents pdf.Value) {
	p.book.scan(contents, func(op string, operands []pdfOperand) {
		args := make([]float64, len(operands))
		for i, o := range operands {
			args[i] = o.number
		}
		p.operator(op, args, operands)
	})
}

// operator executes op with args.
func (p *pdfPage) operator(op string, args []float64, values []pdfOperand) {
	switch op {
	case "BT":
		p.moved, p.matrix = true, identity
	case "Tf":
		if len(values) != 2 {
			panic(errPDFOperator)
		}
		p.size, p.font = math.Abs(args[1]), kept(p.paper.fonts, values[0].text, p.fontOf)
	case "Td", "TD", "Tm", "T*":
		p.place(op, args)
	case "TL", "Tc", "Tw", "Tz":
		if len(args) == 1 {
			p.space(op, args[0])
		}
	case "Tj", "TJ", "'", `"`:
		p.write(op, values)
	case "BMC", "BDC", "EMC", "gs":
		p.marked(op, values)
	case "Do":
		if len(values) == 1 {
			p.draw(values[0].text)
		}
	default:
		p.graphics(op, args)
	}
}

// fontOf reads a font, unless another page has it, too.
func (p *pdfPage) fontOf(name string) *pdfFont {
	read := func(string) *pdfFont { return p.book.font(p.paper.resources.Key("Font").Key(name)) }
	if ref := p.paper.fontRefs[name]; ref != "" {
		return kept(p.book.fonts, ref, read)
	}
	return read(name)
}

// graphics executes operators that save or change the graphics state, or draw.
func (p *pdfPage) graphics(op string, args []float64) {
	switch op {
	case "q":
		if len(p.states) == maxStates {
			panic(errPDFOperator)
		}
		p.states = append(p.states, p.pdfState)
	case "Q":
		if n := len(p.states); n > 0 {
			p.pdfState, p.states = p.states[n-1], p.states[:n-1]
		}
	case "cm":
		if len(args) == 6 {
			p.drawn = matrix(args).times(p.drawn)
		}
	case "f", "F", "f*", "B", "B*", "b", "b*":
		p.painted = p.painted || !p.white
	case "Tr":
		if len(args) == 1 {
			p.mode = int(args[0])
		}
	case "sh", "BI":
		p.painted, p.words.pictured = true, true
	case "cs":
		p.white = false
	case "g", "rg", "k", "sc", "scn":
		p.white = white(op, args)
	}
}

// white reports whether an operator sets the colour of paper. A single number in an unknown colour space may be full ink.
func white(op string, args []float64) bool {
	switch {
	case len(args) == 4:
		return slices.Max(args) <= 1-nearWhite
	case len(args) == 3 || len(args) == 1 && op == "g":
		return slices.Min(args) >= nearWhite
	}
	return false
}

// space sets how letters are spaced.
func (p *pdfPage) space(op string, by float64) {
	switch op {
	case "TL":
		p.leading = by
	case "Tc":
		p.letter = by
	case "Tw":
		p.word = by
	case "Tz":
		p.stretch = by / 100
	}
}

// place moves to the position of the next letters.
func (p *pdfPage) place(op string, args []float64) {
	switch {
	case op == "T*":
		p.lines++
		p.shift(0, -p.leading)
	case op == "Tm" && len(args) == 6:
		copy(p.matrix[:], args)
		p.moved = true
	case (op == "Td" || op == "TD") && len(args) == 2:
		if op == "TD" {
			p.leading = -args[1]
		}
		p.shift(args[0], args[1])
	}
}

func (p *pdfPage) shift(x, y float64) {
	p.matrix[4] += x*p.matrix[0] + y*p.matrix[2]
	p.matrix[5] += x*p.matrix[1] + y*p.matrix[3]
	p.moved = true
}

// follow writes what separates the next letters from the last ones, by where both stand on the page.
func (p *pdfPage) follow() {
	now := p.matrix.times(p.drawn)
	if last := p.last; last != nil {
		square := now[0]*now[0] + now[1]*now[1]
		x, y := now[4]-last[4], now[5]-last[5]
		p.separate((x*now[0]+y*now[1])/square, (y*now[0]-x*now[1])/square)
	}
	p.last, p.advance, p.moved, p.lines, p.guessed = &now, 0, false, 0, false
}

// separate writes what separates the last letters from those that begin at x, y relative to the beginning of their line.
func (p *pdfPage) separate(x, y float64) {
	gap := wordGap
	if p.guessed {
		gap = guessedGap
	}
	switch y = math.Abs(y); {
	case p.lines > 1 || p.lines == 0 && y > blockGap*p.size:
		p.words.part("\n\n")
	case p.lines == 1 || y > lineGap*p.size:
		p.words.part("\n")
	case x-p.advance > gap*p.size || x < 0:
		p.words.part(" ")
	}
}

// write executes an operator that shows letters.
func (p *pdfPage) write(op string, values []pdfOperand) {
	if op == "'" || op == `"` {
		p.place("T*", nil)
	}
	if len(values) == 0 || op == "Tj" && len(values) > 1 {
		panic(errPDFOperator)
	}
	p.show(values[len(values)-1])
}

// show writes a string, or the strings of a list with the offsets between them.
func (p *pdfPage) show(v pdfOperand) {
	if p.moved {
		p.follow()
	}
	if v.kind == 's' {
		p.letters(v.text)
		return
	}
	for _, part := range v.list {
		if part.kind == 's' {
			p.letters(part.text)
			continue
		}
		moved := -part.number / 1000
		if moved > wordGap && !p.unseen() {
			p.words.part(" ")
		}
		p.advance += moved * p.size * p.stretch
	}
}

func (p *pdfPage) letters(raw string) {
	said, width, letters, spaces := p.font.read(raw)
	if !p.unseen() {
		p.words.add(ligatures.Replace(said), p.mode == 3 || p.mode == 7, p.outside())
		if p.words.all.Len() > p.book.most {
			panic(errPDFWork)
		}
	}
	if math.IsNaN(width) {
		width, p.guessed = usualWidth*1000*float64(letters), true
	}
	p.advance += (width/1000*p.size + float64(letters)*p.letter + float64(spaces)*p.word) * p.stretch
}

// ligatures are written as the letters that they join, as which they are searched for.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// unseen reports whether letters are too small to read, white on white paper, transparent or on a hidden layer.
func (p *pdfPage) unseen() bool {
	height := p.size * p.drawn.scale() * math.Hypot(p.matrix[2], p.matrix[3])
	return height < speck && !p.font.drawn || p.white && !p.painted || p.clear || slices.Contains(p.marks, true)
}
