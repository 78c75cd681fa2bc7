package extract

import (
	"iter"
	"slices"

	"github.com/ledongthuc/pdf"
)

// maxCodeSizes is how many ranges may say how long codes are. They are looked through for each letter.
const maxCodeSizes = 64

// pdfMap states the letters of the codes of a font.
type pdfMap struct {
	sizes  []pdfRange // codes by their sizes
	chars  map[uint32]string
	ranges []pdfRange // by their first codes
}

// pdfRange is a range of codes.
type pdfRange struct {
	size        int // of a code, in bytes
	first, last uint32
	letters     string // of the first code; the last of them counts on from there
}

// unicodeOf reads a map from a stream. What is broken in it is left out.
func (b *pdfBook) unicodeOf(stream pdf.Value) pdfMap {
	m := pdfMap{chars: map[uint32]string{}}
	b.scan(stream, func(op string, said []pdfOperand) {
		for _, one := range said {
			b.count(1 + len(one.list))
		}
		switch op {
		case "endcodespacerange":
			for pair := range whole(said, 2) {
				if len(m.sizes) < maxCodeSizes {
					m.sizes = append(m.sizes, pdfRange{size: len(pair[0].text), first: codeOf(pair[0].text), last: codeOf(pair[1].text)})
				}
			}
		case "endbfchar":
			for pair := range whole(said, 2) {
				m.chars[codeOf(pair[0].text)] = fromUTF16(pair[1].text)
			}
		case "endbfrange":
			for three := range whole(said, 3) {
				m.add(three)
			}
		}
	})
	slices.SortStableFunc(m.ranges, func(a, b pdfRange) int { return int(int64(a.first) - int64(b.first)) })
	return m
}

// whole returns the operands in groups of a size, without what is left over.
func whole(said []pdfOperand, size int) iter.Seq[[]pdfOperand] {
	return slices.Chunk(said[:len(said)/size*size], size)
}

// add adds a range: the first code, the last one, and either the letters of the first or a list of all.
func (m *pdfMap) add(said []pdfOperand) {
	first := codeOf(said[0].text)
	for i, letter := range said[2].list {
		m.chars[first+uint32(i)] = fromUTF16(letter.text)
	}
	if said[2].kind == 's' {
		m.ranges = append(m.ranges, pdfRange{first: first, last: codeOf(said[1].text), letters: fromUTF16(said[2].text)})
	}
}

func (m *pdfMap) empty() bool { return len(m.chars) == 0 && len(m.ranges) == 0 }

// letter returns the letters of a code.
func (m *pdfMap) letter(code uint32) (letters string, known bool) {
	if letters, known = m.chars[code]; known {
		return letters, true
	}
	at, exact := slices.BinarySearchFunc(m.ranges, code, func(r pdfRange, code uint32) int { return int(int64(r.first) - int64(code)) })
	if !exact {
		at--
	}
	if at < 0 || m.ranges[at].last < code {
		return "", false
	}
	runes := []rune(m.ranges[at].letters)
	if len(runes) == 0 {
		return "", true
	}
	runes[len(runes)-1] += rune(code - m.ranges[at].first) //nolint:gosec // what is no letter becomes U+FFFD
	return string(runes), true
}

// codeSize returns how many bytes the first code of raw has. Most have two.
func (m *pdfMap) codeSize(raw string) int {
	for _, r := range m.sizes {
		if r.size > 0 && r.size <= len(raw) && r.size <= 4 {
			if code := codeOf(raw[:r.size]); code >= r.first && code <= r.last {
				return r.size
			}
		}
	}
	return min(2, len(raw))
}
