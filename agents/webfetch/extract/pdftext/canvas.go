package pdftext

import (
	"slices"

	"github.com/ledongthuc/pdf"
)

// canvas is what operators draw on, a page or a form, and the resources that they name. What was found out about a name is kept, because that takes long.
type canvas struct {
	box       []float64 // of the page: left, bottom, right, top; nil if it is not known
	layers    layers
	resources pdf.Value

	fonts       map[string]*font
	fontRefs    map[string]string // references to fonts
	hidden      map[string]bool   // whether optional content is hidden
	hiddenRefs  map[string]string // references to its groups
	transparent map[string]bool   // whether a graphics state makes everything transparent
	forms       map[string]*form  // nil for images
}

func canvasOf(l leaf, shown layers) canvas {
	c := canvas{layers: shown, box: l.media}.with(l.resources)
	if l.crop != nil {
		c.box = l.crop
	}
	return c
}

// with returns the canvas for operators that name other resources.
func (c canvas) with(resources pdf.Value) canvas {
	c.resources = resources
	c.fonts, c.fontRefs = map[string]*font{}, referencesOf(resources.Key("Font"))
	c.hidden, c.hiddenRefs = map[string]bool{}, nil
	if c.layers.present {
		c.hiddenRefs = referencesOf(resources.Key("Properties"))
	}
	c.transparent, c.forms = map[string]bool{}, map[string]*form{}
	return c
}

// boxOf returns the left, bottom, right and top of a rectangle, or nil.
func boxOf(v pdf.Value, key string) []float64 {
	box := v.Key(key)
	if box.Len() != 4 {
		return nil
	}
	x, y := []float64{box.Index(0).Float64(), box.Index(2).Float64()}, []float64{box.Index(1).Float64(), box.Index(3).Float64()}
	return []float64{slices.Min(x), slices.Min(y), slices.Max(x), slices.Max(y)}
}

// cached returns what is known about a name, or else finds it out.
func cached[T any](known map[string]T, name string, find func(string) T) T {
	value, ok := known[name]
	if !ok {
		value = find(name)
		known[name] = value
	}
	return value
}

// isTransparent reports whether a graphics state makes everything transparent.
func (c canvas) isTransparent(name string) bool {
	alpha := c.resources.Key("ExtGState").Key(name).Key("ca")
	return (alpha.Kind() == pdf.Real || alpha.Kind() == pdf.Integer) && alpha.Float64() < 0.05
}

// hides reports whether optional content is hidden.
func (c canvas) hides(name string) bool {
	return c.layers.hide(c.resources.Key("Properties").Key(name), c.hiddenRefs[name])
}

// hidesObject reports whether a form or an annotation belongs to optional content that is hidden.
func (c canvas) hidesObject(object pdf.Value) bool {
	return c.layers.present && c.layers.hide(object.Key("OC"), referencesOf(object)["OC"])
}
