package extract

import (
	"math"

	"github.com/ledongthuc/pdf"
)

// maxPDFNotes is how many annotations of a page are read.
const maxPDFNotes = 10_000

// Flags of annotations that are not seen (ISO 32000-1, 12.5.3).
const (
	noteHidden = 1 << 1
	noteNoView = 1 << 5
)

// notes reads what is on a page and not among its operators: where its links go, what was filled into its fields, and text that was put on it.
func (p *pdfPage) notes(page pdf.Value) {
	p.pdfState, p.states, p.marks = beginState(), nil, nil
	notes := page.Key("Annots")
	for i := range min(notes.Len(), maxPDFNotes) {
		note := notes.Index(i)
		if p.book.file.over() {
			panic(errPDFWork)
		}
		switch note.Key("Subtype").Name() {
		case "Link":
			if to := note.Key("A").Key("URI").RawString(); to != "" {
				p.book.links = append(p.book.links, to)
			}
		case "Widget", "FreeText", "Stamp":
			if note.Key("F").Int64()&(noteHidden|noteNoView) == 0 && !p.paper.isOff(note) {
				p.drawNote(note)
			}
		}
	}
}

// drawNote draws the appearance of an annotation in its place.
func (p *pdfPage) drawNote(note pdf.Value) {
	look := note.Key("AP").Key("N")
	if look.Kind() == pdf.Dict { // one for each state
		look = look.Key(note.Key("AS").Name())
	}
	box, place := boxOf(look, "BBox"), boxOf(note, "Rect")
	if look.Kind() != pdf.Stream || box == nil || place == nil {
		return
	}
	form := p.paper.formOf(look)
	var drawn []float64 // left, bottom, right and top of what the form draws
	for _, corner := range [][2]float64{{box[0], box[1]}, {box[0], box[3]}, {box[2], box[1]}, {box[2], box[3]}} {
		at := matrix{1, 0, 0, 1, corner[0], corner[1]}.times(form.placed)
		if drawn == nil {
			drawn = []float64{at[4], at[5], at[4], at[5]}
		}
		drawn[0], drawn[1] = math.Min(drawn[0], at[4]), math.Min(drawn[1], at[5])
		drawn[2], drawn[3] = math.Max(drawn[2], at[4]), math.Max(drawn[3], at[5])
	}
	x, y := (place[2]-place[0])/(drawn[2]-drawn[0]), (place[3]-place[1])/(drawn[3]-drawn[1])
	if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) {
		return
	}
	form.placed = form.placed.times(matrix{x, 0, 0, y, place[0] - drawn[0]*x, place[1] - drawn[1]*y})
	p.drawForm(form)
}
