package pdftext

import (
	"iter"

	"github.com/ledongthuc/pdf"
)

// maxTree is how many levels of nodes the page tree may have.
const maxTree = 32

// leaf is a page of the page tree, with the attributes that it inherits from the nodes above it.
type leaf struct {
	page        pdf.Value
	resources   pdf.Value
	media, crop []float64 // boxes; nil when the file states none
}

// pages yields the pages below the root of the page tree, in order. The library would search for each page from the root again.
func (d *document) pages(root pdf.Value) iter.Seq[leaf] {
	return func(yield func(leaf) bool) { d.walk(root, leaf{}, 0, yield) }
}

// walk yields the pages below a node, and reports whether to go on.
func (d *document) walk(node pdf.Value, inherited leaf, depth int, yield func(leaf) bool) bool {
	if d.source.spent() || depth > maxTree {
		panic(ErrWork)
	}
	if resources := node.Key("Resources"); resources.Kind() == pdf.Dict {
		inherited.resources = resources
	}
	if box := boxOf(node, "MediaBox"); box != nil {
		inherited.media = box
	}
	if box := boxOf(node, "CropBox"); box != nil {
		inherited.crop = box
	}
	kids := node.Key("Kids")
	if kids.Kind() != pdf.Array {
		inherited.page = node
		return yield(inherited)
	}
	for i := range kids.Len() {
		kid, err := elementOf(kids, i)
		if err != nil {
			d.broken = err // an unreadable page does not hide the others
			continue
		}
		if !d.walk(kid, inherited, depth+1, yield) {
			return false
		}
	}
	return true
}

// elementOf returns an element of an array, or an error for one that the library panics on.
func elementOf(array pdf.Value, i int) (v pdf.Value, err error) {
	defer recoverPanic(&err)
	return array.Index(i), nil
}
