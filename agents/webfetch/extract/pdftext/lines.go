package pdftext

import (
	"bytes"
	"slices"
	"strings"
)

// lines is text that comes line by line. Most programs write the letters of a line from left to right, whatever their script, so that Hebrew and Arabic come
// backwards. Others write at least the words of these in the order of reading, each to the left of the one before.
type lines struct {
	whole strings.Builder // lines that have ended
	line  []byte          // the current one
	turns []int           // where in it what follows stands to the left
}

func (l *lines) add(letters string) { l.line = append(l.line, letters...) }

// separate adds what separates words or lines; a space is added only after a word.
func (l *lines) separate(with string) {
	if with != " " {
		l.end()
		l.whole.WriteString(with)
	} else if n := len(l.line); n > 0 && l.line[n-1] > ' ' {
		l.line = append(l.line, ' ')
	}
}

func (l *lines) turnBack() {
	if len(l.line) > 0 {
		l.turns = append(l.turns, len(l.line))
	}
}

// end ends the current line.
func (l *lines) end() {
	if bytes.ContainsFunc(l.line, isBackward) {
		l.whole.WriteString(inReadingOrder(l.fromTheLeft()))
	} else {
		l.whole.Write(l.line)
	}
	l.line, l.turns = l.line[:0], l.turns[:0]
}

// fromTheLeft returns the current line as it stands on the page, from left to right.
func (l *lines) fromTheLeft() []rune {
	end := len(l.line)
	var line []rune
	for _, begin := range slices.Backward(append([]int{0}, l.turns...)) {
		if line = append(line, bytes.Runes(l.line[begin:end])...); len(line) > 0 && begin > 0 && line[len(line)-1] > ' ' {
			line = append(line, ' ')
		}
		end = begin
	}
	return line
}

func (l *lines) size() int { return l.whole.Len() + len(l.line) }

// text returns all lines.
func (l *lines) text() string {
	l.end()
	return l.whole.String()
}
