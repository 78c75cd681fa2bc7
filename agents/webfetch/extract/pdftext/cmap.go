package pdftext

import (
	"cmp"
	"iter"
	"slices"

	"github.com/ledongthuc/pdf"
)

// maxCodeSpaces is how many ranges may say how long codes are. All of them are looked through for each letter.
const maxCodeSpaces = 64

// cmap says what letters codes stand for.
type cmap struct {
	spaces []codeRange // which codes there are, by their sizes
	chars  map[uint32]string
	ranges []codeRange // sorted by their first codes
}

// codeRange is a range of codes.
type codeRange struct {
	size        int // of a code, in bytes
	first, last uint32
	letters     string // of the first code; for each further code, the last letter is the next one
}

// readCMap reads a CMap from a stream. What is broken in it is left out.
func (d *document) readCMap(stream pdf.Value) cmap {
	m := cmap{chars: map[uint32]string{}}
	for op, operands := range d.operators(stream) {
		for _, o := range operands {
			d.countCodes(1 + len(o.list))
		}
		switch op {
		case "endcodespacerange":
			for pair := range whole(operands, 2) {
				if len(m.spaces) < maxCodeSpaces {
					m.spaces = append(m.spaces, codeRange{size: len(pair[0].text), first: codeOf(pair[0].text), last: codeOf(pair[1].text)})
				}
			}
		case "endbfchar":
			for pair := range whole(operands, 2) {
				m.chars[codeOf(pair[0].text)] = fromUTF16(pair[1].text)
			}
		case "endbfrange":
			for three := range whole(operands, 3) {
				m.addRange(three[0], three[1], three[2])
			}
		}
	}
	slices.SortStableFunc(m.ranges, func(a, b codeRange) int { return cmp.Compare(a.first, b.first) })
	return m
}

// whole returns operands in groups of a size, without those that are left over.
func whole(operands []operand, size int) iter.Seq[[]operand] {
	return slices.Chunk(operands[:len(operands)/size*size], size)
}

// addRange adds the codes from first to last. letters are those of the first, or a list of those of all.
func (m *cmap) addRange(first, last, letters operand) {
	code := codeOf(first.text)
	for i, letter := range letters.list {
		m.chars[code+uint32(i)] = fromUTF16(letter.text)
	}
	if letters.kind == 's' {
		m.ranges = append(m.ranges, codeRange{first: code, last: codeOf(last.text), letters: fromUTF16(letters.text)})
	}
}

func (m *cmap) empty() bool { return len(m.chars) == 0 && len(m.ranges) == 0 }

// lookUp returns the letters that a code stands for.
func (m *cmap) lookUp(code uint32) (letters string, known bool) {
	if letters, known = m.chars[code]; known {
		return letters, true
	}
	at, exact := slices.BinarySearchFunc(m.ranges, code, func(r codeRange, code uint32) int { return cmp.Compare(r.first, code) })
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

// codeSize returns how many bytes the first code of raw has. Without a range that has it, it is two, as in most files.
func (m *cmap) codeSize(raw string) int {
	for _, r := range m.spaces {
		if r.size > 0 && r.size <= len(raw) && r.size <= 4 {
			if code := codeOf(raw[:r.size]); code >= r.first && code <= r.last {
				return r.size
			}
		}
	}
	return min(2, len(raw))
}
