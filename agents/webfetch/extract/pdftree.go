package extract

import "github.com/ledongthuc/pdf"

// maxPDFTree is how deep pages may stand in groups of pages.
const maxPDFTree = 32

// pdfLeaf is a page with what it has from the groups around it.
type pdfLeaf struct {
	page        pdf.Value
	resources   pdf.Value
	media, crop []float64 // boxes; nil when they are not told
}

// pages calls read with each page of a group. It returns false when read did. The library would search for each page from the first one.
func (b *pdfBook) pages(group pdf.Value, from pdfLeaf, depth int, read func(pdfLeaf) bool) bool {
	if b.file.over() || depth > maxPDFTree {
		panic(errPDFWork)
	}
	if resources := group.Key("Resources"); resources.Kind() == pdf.Dict {
		from.resources = resources
	}
	if box := boxOf(group, "MediaBox"); box != nil {
		from.media = box
	}
	if box := boxOf(group, "CropBox"); box != nil {
		from.crop = box
	}
	kids := group.Key("Kids")
	if kids.Kind() != pdf.Array {
		from.page = group
		return read(from)
	}
	for i := range kids.Len() {
		kid, err := memberOf(kids, i)
		if err != nil {
			b.broken = err // an unreadable page does not hide the others
			continue
		}
		if !b.pages(kid, from, depth+1, read) {
			return false
		}
	}
	return true
}

func memberOf(list pdf.Value, i int) (v pdf.Value, err error) {
	defer recoverPanic(&err)
	return list.Index(i), nil
}
