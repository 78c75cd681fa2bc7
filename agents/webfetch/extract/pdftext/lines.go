package pdftext

import (
	"bytes"
	"slices"
	"strings"
)

// lines is text that comes line by line. Most programs write the letters of a line from left to right, whatever their script, so that Hebrew and Arabic come
// backwards. Others write at least the words of these in the order of reading, each to the left of the one before.
type lines struct {
	text  []byte
	turns []int // where in text what follows stands to the left
}

func (l *lines) add(letters string) { l.text = append(l.text, letters...) }

// separate adds what separates words or lines; a space is added only after a word.
func (l *lines) separate(with string) {
	if n := len(l.text); with != " " || n > 0 && l.text[n-1] > ' ' {
		l.text = append(l.text, with...)
	}
}

func (l *lines) turnBack() { l.turns = append(l.turns, len(l.text)) }

// String returns the lines in the order of reading.
func (l *lines) String() string {
	var out strings.Builder
	begin := 0
	for line := range bytes.Lines(l.text) {
		if bytes.ContainsFunc(line, isBackward) {
			letters := bytes.TrimSuffix(line, []byte("\n"))
			out.WriteString(inReadingOrder(l.fromTheLeft(begin, begin+len(letters))))
			out.Write(line[len(letters):])
		} else {
			out.Write(line)
		}
		begin += len(line)
	}
	return out.String()
}

// fromTheLeft returns the line from begin to end as it stands on the page, from left to right.
func (l *lines) fromTheLeft(begin, end int) []rune {
	first, _ := slices.BinarySearch(l.turns, begin+1)
	last, _ := slices.BinarySearch(l.turns, end)
	var line []rune
	for _, turn := range slices.Backward(append([]int{begin}, l.turns[first:last]...)) {
		if line = append(line, bytes.Runes(l.text[turn:end])...); len(line) > 0 && turn > begin && line[len(line)-1] > ' ' {
			line = append(line, ' ')
		}
		end = turn
	}
	return line
}
