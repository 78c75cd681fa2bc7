package extract

import (
	"slices"

	"github.com/ledongthuc/pdf"
)

// maxForms is how deep forms may stand within forms. How many are drawn is bounded by time and by the text that comes of them.
const maxForms = 16

// pdfForm is a drawing that pages use by its name. Some programs draw whole pages as one.
type pdfForm struct {
	contents pdf.Value
	placed   matrix // from its coordinates to those of what it is drawn on
	paper    pdfPaper
	off      bool // on a layer that is not shown
}

// form returns the form of a name, or nil for a picture.
func (p pdfPaper) form(name string) *pdfForm {
	object := p.resources.Key("XObject").Key(name)
	if object.Key("Subtype").Name() != "Form" {
		return nil
	}
	return p.formOf(object)
}

func (p pdfPaper) formOf(object pdf.Value) *pdfForm {
	form := &pdfForm{contents: object, placed: identity, paper: p}
	if m := object.Key("Matrix"); m.Len() == len(form.placed) {
		for i := range form.placed {
			form.placed[i] = m.Index(i).Float64()
		}
	}
	if resources := object.Key("Resources"); resources.Kind() == pdf.Dict { // else those of the page
		form.paper = p.with(resources)
	}
	form.off = p.isOff(object)
	return form
}

// isOff reports whether a form or an annotation is on a layer that is not shown.
func (p pdfPaper) isOff(object pdf.Value) bool {
	return p.layers.optional && p.layers.off(object.Key("OC"), refsOf(object)["OC"])
}

// refsOf returns the objects to which the entries of a dictionary refer, those that do.
func refsOf(v pdf.Value) map[string]string {
	refs := map[string]string{}
	for _, m := range namedRef.FindAllStringSubmatch(v.String(), -1) {
		refs[m[1]] = m[2]
	}
	return refs
}

// draw executes the operators of the form of a name, or notes that there is a picture.
func (p *pdfPage) draw(name string) {
	if form := kept(p.paper.forms, name, p.paper.form); form != nil {
		p.drawForm(form)
		return
	}
	p.painted, p.words.pictured = true, true
}

func (p *pdfPage) drawForm(form *pdfForm) {
	switch {
	case form.off || p.clear || slices.Contains(p.marks, true):
		return
	case p.depth == maxForms:
		panic(errPDFWork)
	}
	state, states, marks, paper := p.pdfState, p.states, p.marks, p.paper
	p.drawn, p.states, p.marks, p.paper = form.placed.times(p.drawn), nil, nil, form.paper
	p.depth++
	p.run(form.contents)
	p.depth--
	p.pdfState, p.states, p.marks, p.paper = state, states, marks, paper
}
