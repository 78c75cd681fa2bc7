package pdftext

import "strings"

// pageText is the text of a page, that which is seen and all that is written.
type pageText struct {
	seen, all               lines
	seenSize, unpaintedSize int  // bytes without white space
	hasImage                bool // the page has images
}

// add adds letters. unpainted says that they are not painted, outside that they are beside the page.
func (t *pageText) add(letters string, unpainted, outside bool) {
	t.all.add(letters)
	switch {
	case outside:
	case unpainted:
		t.unpaintedSize += sizeOf(letters)
	default:
		t.seenSize += sizeOf(letters)
		t.seen.add(letters)
	}
}

// separate adds what separates words or lines; a space is added only after a word.
func (t *pageText) separate(with string) {
	t.seen.separate(with)
	t.all.separate(with)
}

// turnBack says that what is added next stands to the left of what was added last, in the same line.
func (t *pageText) turnBack() {
	t.seen.turnBack()
	t.all.turnBack()
}

// visible returns the text that is seen. In two cases it returns all text: programs that recognize the text of scans write it unpainted over the image;
// and if nothing is seen on a page, its coordinates were not understood.
func (t *pageText) visible() string {
	if t.seenSize == 0 || t.hasImage && t.unpaintedSize > t.seenSize {
		return t.all.String()
	}
	return t.seen.String()
}

// sizeOf returns the number of bytes that are not white space.
func sizeOf(text string) int {
	size := 0
	for word := range strings.FieldsSeq(text) {
		size += len(word)
	}
	return size
}
