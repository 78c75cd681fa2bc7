package pdftext

import (
	"math"
	"slices"

	"github.com/ledongthuc/pdf"
)

const (
	maxSaved  = 256  // graphics states that operators may save
	minHeight = 1.0  // points: smaller letters are not legible
	nearWhite = 0.99 // of 1
)

// graphicsState is what the operators q and Q save and restore.
type graphicsState struct {
	ctm                             matrix // from user space to the page
	font                            *font
	fontSize                        float64
	charSpacing, wordSpacing, scale float64 // scale is horizontal; 1 is normal
	leading                         float64 // between two lines
	mode                            int     // text rendering mode
	white                           bool    // the colour is white, or nearly
	transparent                     bool
}

// page collects the text of a page from its operators, and leaves out what is not visible.
type page struct {
	graphicsState

	document *document
	canvas   canvas
	saved    []graphicsState
	marks    []bool // for each open marked content, whether it is hidden
	depth    int    // of nested forms
	painted  bool   // something other than white was painted, so white letters may be on top of it
	text     pageText

	textMatrix matrix  // from text space to user space
	moved      bool    // the position was set since the last letters
	lines      int     // by how many lines operators moved it
	last       *matrix // from the text space of the last letters to the page; nil before the first
	advance    float64 // from there to the end of the last letters
	guessed    bool    // advance is not exact, because the font does not state widths
}

func newPage(d *document, c canvas) *page {
	return &page{graphicsState: initialState(), document: d, canvas: c}
}

// initialState returns the graphics state at the beginning of a page.
func initialState() graphicsState {
	return graphicsState{ctm: identity, scale: 1, font: &font{missingWidth: math.NaN()}}
}

// run executes the operators of a content stream.
func (p *page) run(contents pdf.Value) {
	for op, operands := range p.document.operators(contents) {
		numbers := make([]float64, len(operands))
		for i, o := range operands {
			numbers[i] = o.number
		}
		p.execute(op, numbers, operands)
	}
}

// execute executes an operator. numbers are the values of its operands that are numbers, and 0 for the others.
func (p *page) execute(op string, numbers []float64, operands []operand) {
	switch op {
	case "BT":
		p.moved, p.textMatrix = true, identity
	case "Tf":
		if len(operands) != 2 {
			panic(errOperator)
		}
		p.fontSize, p.font = math.Abs(numbers[1]), cached(p.canvas.fonts, operands[0].text, p.fontNamed)
	case "Td", "TD", "Tm", "T*":
		p.position(op, numbers)
	case "TL", "Tc", "Tw", "Tz":
		if len(numbers) == 1 {
			p.setSpacing(op, numbers[0])
		}
	case "Tj", "TJ", "'", `"`:
		p.show(op, operands)
	case "BMC", "BDC", "EMC", "gs":
		p.executeNamed(op, operands)
	case "Do":
		if len(operands) == 1 {
			p.draw(operands[0].text)
		}
	default:
		p.executeGraphics(op, numbers)
	}
}

// executeGraphics executes operators that save or change the graphics state, or paint.
func (p *page) executeGraphics(op string, numbers []float64) {
	switch op {
	case "q":
		if len(p.saved) == maxSaved {
			panic(errOperator)
		}
		p.saved = append(p.saved, p.graphicsState)
	case "Q":
		if n := len(p.saved); n > 0 {
			p.graphicsState, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		if len(numbers) == 6 {
			p.ctm = matrix(numbers).times(p.ctm)
		}
	case "f", "F", "f*", "B", "B*", "b", "b*":
		p.painted = p.painted || !p.white
	case "Tr":
		if len(numbers) == 1 {
			p.mode = int(numbers[0])
		}
	case "sh", "BI":
		p.painted, p.text.hasImage = true, true
	case "cs":
		p.white = false
	case "g", "rg", "k", "sc", "scn":
		p.white = isWhite(op, numbers)
	}
}

// isWhite reports whether an operator sets the colour of paper. A single number in an unknown colour space may be full ink.
func isWhite(op string, numbers []float64) bool {
	switch {
	case len(numbers) == 4:
		return slices.Max(numbers) <= 1-nearWhite
	case len(numbers) == 3 || len(numbers) == 1 && op == "g":
		return slices.Min(numbers) >= nearWhite
	}
	return false
}

// executeNamed executes operators that begin and end marked content, or name a graphics state.
func (p *page) executeNamed(op string, operands []operand) {
	switch {
	case op == "gs" && len(operands) == 1:
		p.transparent = cached(p.canvas.transparent, operands[0].text, p.canvas.isTransparent)
	case op == "EMC" && len(p.marks) > 0:
		p.marks = p.marks[:len(p.marks)-1]
	case op == "BMC", op == "BDC":
		if len(p.marks) == maxSaved {
			panic(errOperator)
		}
		optional := op == "BDC" && p.canvas.layers.present && len(operands) == 2 && operands[0].text == "OC"
		p.marks = append(p.marks, optional && cached(p.canvas.hidden, operands[1].text, p.canvas.hides))
	}
}

func (p *page) setSpacing(op string, to float64) {
	switch op {
	case "TL":
		p.leading = to
	case "Tc":
		p.charSpacing = to
	case "Tw":
		p.wordSpacing = to
	case "Tz":
		p.scale = to / 100
	}
}

// position sets the position of the next letters.
func (p *page) position(op string, numbers []float64) {
	switch {
	case op == "T*":
		p.lines++
		p.move(0, -p.leading)
	case op == "Tm" && len(numbers) == 6:
		copy(p.textMatrix[:], numbers)
		p.moved = true
	case (op == "Td" || op == "TD") && len(numbers) == 2:
		if op == "TD" {
			p.leading = -numbers[1]
		}
		p.move(numbers[0], numbers[1])
	}
}

func (p *page) move(x, y float64) {
	p.textMatrix = translation(x, y).times(p.textMatrix)
	p.moved = true
}

// fontNamed reads a font, unless another page has it too.
func (p *page) fontNamed(name string) *font {
	read := func(string) *font { return p.document.readFont(p.canvas.resources.Key("Font").Key(name)) }
	if ref := p.canvas.fontRefs[name]; ref != "" {
		return cached(p.document.fonts, ref, read)
	}
	return read(name)
}
