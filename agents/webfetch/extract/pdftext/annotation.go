package pdftext

import (
	"math"

	"github.com/ledongthuc/pdf"
)

// maxAnnotations is how many annotations of a page are read.
const maxAnnotations = 10_000

// Flags of annotations that are not shown (ISO 32000-1, 12.5.3).
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

// runAnnotations reads what is on a page but not among its operators: where its links go, what was filled into its fields, and text that was put on it.
func (p *page) runAnnotations(page pdf.Value) {
	p.graphicsState, p.saved, p.marks = initialState(), nil, nil
	annotations := page.Key("Annots")
	for i := range min(annotations.Len(), maxAnnotations) {
		annotation := annotations.Index(i)
		if p.document.source.spent() {
			panic(ErrWork)
		}
		switch annotation.Key("Subtype").Name() {
		case "Link":
			if uri := annotation.Key("A").Key("URI").RawString(); uri != "" {
				p.document.links = append(p.document.links, uri)
			}
		case "Widget", "FreeText", "Stamp":
			if annotation.Key("F").Int64()&(flagHidden|flagNoView) == 0 && !p.canvas.hidesObject(annotation) {
				p.drawAnnotation(annotation)
			}
		}
	}
}

// drawAnnotation draws the appearance of an annotation, a form, so that its box fits the rectangle of the annotation (ISO 32000-1, 12.5.5).
func (p *page) drawAnnotation(annotation pdf.Value) {
	appearance := annotation.Key("AP").Key("N")
	if appearance.Kind() == pdf.Dict { // there is one for each state
		appearance = appearance.Key(annotation.Key("AS").Name())
	}
	box, to := boxOf(appearance, "BBox"), boxOf(annotation, "Rect")
	if appearance.Kind() != pdf.Stream || box == nil || to == nil {
		return
	}
	f := p.canvas.formOf(appearance)
	from := boundsOf(box, f.matrix)
	x, y := (to[2]-to[0])/(from[2]-from[0]), (to[3]-to[1])/(from[3]-from[1])
	if math.IsNaN(x) || math.IsInf(x, 0) || math.IsNaN(y) || math.IsInf(y, 0) {
		return
	}
	f.matrix = f.matrix.times(matrix{x, 0, 0, y, to[0] - from[0]*x, to[1] - from[1]*y})
	p.drawForm(f)
}

// boundsOf returns the left, bottom, right and top of a box after a transformation.
func boundsOf(box []float64, by matrix) []float64 {
	var bounds []float64
	for _, corner := range [][2]float64{{box[0], box[1]}, {box[0], box[3]}, {box[2], box[1]}, {box[2], box[3]}} {
		at := translation(corner[0], corner[1]).times(by)
		if bounds == nil {
			bounds = []float64{at[4], at[5], at[4], at[5]}
		}
		bounds[0], bounds[1] = math.Min(bounds[0], at[4]), math.Min(bounds[1], at[5])
		bounds[2], bounds[3] = math.Max(bounds[2], at[4]), math.Max(bounds[3], at[5])
	}
	return bounds
}
