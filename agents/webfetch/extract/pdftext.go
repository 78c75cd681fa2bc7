package extract

import (
	"math"
	"slices"

	"github.com/ledongthuc/pdf"
)

// Where words and lines of a PDF end, in units of the letter size: most programs write neither spaces nor line breaks, but move the position.
const (
	wordGap  = 0.2
	lineGap  = 0.4
	blockGap = 1.9
)

const (
	maxStates = 256 // that operators may save
	maxWidths = 256 // of the letters of a font with one-byte codes
	speck     = 1.0 // points: smaller letters are not legible
	nearWhite = 0.99
)

// pdfState is the state that the operators q and Q save and restore.
type pdfState struct {
	shape                 pdfShape
	enc                   pdf.TextEncoding // nil: each byte is a character
	size                  float64          // of letters
	letter, word, leading float64          // spacing
	drawn                 matrix           // from drawing coordinates to the page
	white                 bool
	clear                 bool // drawn fully transparent
	mode                  int  // text rendering mode
}

// pdfShape describes the widths of the letters of a font.
type pdfShape struct {
	widths []float64 // in thousandths of the size; none when unknown
	first  int       // code of the first one
	drawn  bool      // each letter is a drawing with a size of its own
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

	placed  bool // the text object has a position
	matrix  matrix
	advance float64 // distance from the beginning of the line; NaN when unknown
}

func newPDFPage(book *pdfBook, paper pdfPaper) *pdfPage {
	return &pdfPage{pdfState: pdfState{drawn: identity}, book: book, paper: paper}
}

// run executes the operators of a stream.
func (p *pdfPage) run(contents pdf.Value) {
	pdf.Interpret(contents, func(stack *pdf.Stack, op string) {
		values := make([]pdf.Value, stack.Len())
		args := make([]float64, len(values))
		for i := len(values) - 1; i >= 0; i-- {
			values[i] = stack.Pop()
			args[i] = values[i].Float64()
		}
		p.operator(op, args, values)
	})
}

// operator executes op with args.
func (p *pdfPage) operator(op string, args []float64, values []pdf.Value) {
	switch op {
	case "BT":
		p.words.part("\n")
		p.placed, p.matrix, p.advance = false, identity, 0
	case "Tf":
		if len(values) != 2 {
			panic(errPDFOperator)
		}
		p.setFont(values[0].Name(), args[1])
	case "Td", "TD", "Tm", "T*", "TL", "Tc", "Tw":
		p.place(op, args)
	case "Tj", "TJ", "'", `"`:
		if op == "'" || op == `"` {
			p.place("T*", nil)
		}
		if len(values) == 0 || op == "Tj" && len(values) > 1 {
			panic(errPDFOperator)
		}
		p.show(values[len(values)-1])
	case "BMC", "BDC", "EMC", "gs":
		p.marked(op, values)
	case "Do":
		if len(values) == 1 {
			p.draw(values[0].Name())
		}
	default:
		p.graphics(op, args)
	}
}

func (p *pdfPage) setFont(name string, size float64) {
	font := p.paper.fonts[name]
	p.size, p.enc, p.shape = math.Abs(size), nil, pdfShape{}
	if font == nil {
		return
	}
	p.enc = font.Encoder()
	key := font.BaseFont()
	if key == "" {
		key = "/" + name // the name may mean another font on another page
		delete(p.book.shapes, key)
	}
	shape, known := p.book.shapes[key]
	if !known {
		shape = pdfShape{first: font.FirstChar(), drawn: font.V.Key("Subtype").Name() == "Type3"}
		if !shape.drawn && font.V.Key("Widths").Len() <= maxWidths {
			shape.widths = font.Widths()
		}
		p.book.shapes[key] = shape
	}
	p.shape = shape
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

// place moves to the position of the next letters.
func (p *pdfPage) place(op string, args []float64) {
	switch {
	case op == "T*":
		p.words.part("\n")
		p.shift(0, -p.leading)
	case op == "TL" && len(args) == 1:
		p.leading = args[0]
	case op == "Tc" && len(args) == 1:
		p.letter = args[0]
	case op == "Tw" && len(args) == 1:
		p.word = args[0]
	case op == "Tm" && len(args) == 6:
		before := p.matrix
		copy(p.matrix[:], args)
		if square := args[0]*args[0] + args[1]*args[1]; square > 0 {
			x, y := args[4]-before[4], args[5]-before[5]
			p.separate((x*args[0]+y*args[1])/square, (y*args[0]-x*args[1])/square)
		}
	case (op == "Td" || op == "TD") && len(args) == 2:
		if op == "TD" {
			p.leading = -args[1]
		}
		p.separate(args[0], args[1])
		p.shift(args[0], args[1])
	}
}

func (p *pdfPage) shift(x, y float64) {
	p.matrix[4] += x*p.matrix[0] + y*p.matrix[2]
	p.matrix[5] += x*p.matrix[1] + y*p.matrix[3]
	p.placed, p.advance = true, 0
}

// separate writes what separates the text before from text that begins at x, y relative to the beginning of its line.
func (p *pdfPage) separate(x, y float64) {
	switch y = math.Abs(y); {
	case !p.placed:
	case y > blockGap*p.size:
		p.words.part("\n\n")
	case y > lineGap*p.size:
		p.words.part("\n")
	case x-p.advance > wordGap*p.size || x < 0:
		p.words.part(" ")
	}
	p.placed, p.advance = true, 0
}

// show writes a string, or the strings of an array with the offsets between them.
func (p *pdfPage) show(v pdf.Value) {
	if v.Kind() == pdf.String {
		p.letters(v.RawString())
		return
	}
	for i := range v.Len() {
		part := v.Index(i)
		if part.Kind() == pdf.String {
			p.letters(part.RawString())
			continue
		}
		moved := -part.Float64() / 1000
		if moved > wordGap && !p.unseen() {
			p.words.part(" ")
		}
		p.advance += moved * p.size
	}
}

func (p *pdfPage) letters(raw string) {
	if !p.unseen() {
		decoded := raw
		if p.enc != nil {
			decoded = p.enc.Decode(raw)
		}
		p.words.add(decoded, p.mode == 3 || p.mode == 7, p.outside())
	}
	if len(p.shape.widths) == 0 {
		p.advance = math.NaN()
		return
	}
	for i := range len(raw) {
		if code := int(raw[i]) - p.shape.first; code >= 0 && code < len(p.shape.widths) {
			p.advance += p.shape.widths[code] / 1000 * p.size
		}
		p.advance += p.letter
		if raw[i] == ' ' {
			p.advance += p.word
		}
	}
}

// unseen reports whether letters are too small to read, white on white paper, transparent or on a hidden layer.
func (p *pdfPage) unseen() bool {
	height := p.size * p.drawn.scale() * math.Hypot(p.matrix[2], p.matrix[3])
	return height < speck && !p.shape.drawn || p.white && !p.painted || p.clear || slices.Contains(p.marks, true)
}
