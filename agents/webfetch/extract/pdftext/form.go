package pdftext

import (
	"slices"

	"github.com/ledongthuc/pdf"
)

// maxForms is how deep forms may be nested. How many are drawn is bounded by time, and by the text that comes of them.
const maxForms = 16

// form is a form XObject: operators that a page draws by a name. Some programs draw whole pages as one.
type form struct {
	contents pdf.Value
	matrix   matrix // from its coordinates to those of what draws it
	canvas   canvas
	hidden   bool // it belongs to optional content that is hidden
}

// form returns the form that a name stands for, or nil if that is an image.
func (c canvas) form(name string) *form {
	object := c.resources.Key("XObject").Key(name)
	if object.Key("Subtype").Name() != "Form" {
		return nil
	}
	return c.formOf(object)
}

func (c canvas) formOf(object pdf.Value) *form {
	f := &form{contents: object, matrix: identity, canvas: c, hidden: c.hidesObject(object)}
	if m := object.Key("Matrix"); m.Len() == len(f.matrix) {
		for i := range f.matrix {
			f.matrix[i] = m.Index(i).Float64()
		}
	}
	if resources := object.Key("Resources"); resources.Kind() == pdf.Dict { // otherwise it uses those of the page
		f.canvas = c.with(resources)
	}
	return f
}

// draw executes the operators of a form, or notes that there is an image.
func (p *page) draw(name string) {
	if f := cached(p.canvas.forms, name, p.canvas.form); f != nil {
		p.drawForm(f)
		return
	}
	p.painted, p.text.hasImage = true, true
}

func (p *page) drawForm(f *form) {
	switch {
	case f.hidden || p.transparent || slices.Contains(p.marks, true):
		return
	case p.depth == maxForms:
		panic(ErrWork)
	}
	state, saved, marks, around := p.graphicsState, p.saved, p.marks, p.canvas
	p.ctm, p.saved, p.marks, p.canvas = f.matrix.times(p.ctm), nil, nil, f.canvas
	p.depth++
	p.run(f.contents)
	p.depth--
	p.graphicsState, p.saved, p.marks, p.canvas = state, saved, marks, around
}
