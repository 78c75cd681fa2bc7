package pdftext

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

const (
	firstBackwards = 0x0590 // letters before it are read from left to right
	firstForm      = 0xfb1d // forms of Hebrew and Arabic letters begin here
	lastForm       = 0xfefc // and end here
)

func classOf(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}

// isBackward reports whether a letter is read from right to left, and isForward whether it is one that is read from left to right in any text.
func isBackward(r rune) bool {
	return r >= firstBackwards && (classOf(r) == bidi.R || classOf(r) == bidi.AL)
}
func isForward(r rune) bool { return classOf(r) == bidi.L }

// inReadingOrder returns a line whose letters stand as on the page, from left to right, in the order of reading. It undoes what programs do by Unicode's
// bidirectional algorithm (UAX #9), as far as the result tells.
func inReadingOrder(line []rune) string {
	surplus := 0
	for _, r := range line {
		if isBackward(r) {
			surplus++
		} else if isForward(r) {
			surplus--
		}
	}
	if surplus > 0 {
		return plainForms(turned(line))
	}
	var out []rune
	for len(line) > 0 {
		begin, end := firstQuotation(line)
		out = append(append(out, line[:begin]...), turned(line[begin:end])...)
		line = line[end:]
	}
	return plainForms(out)
}

// firstQuotation returns where the first words from right to left in a line from left to right begin and end.
func firstQuotation(line []rune) (begin, end int) {
	begin = slices.IndexFunc(line, isBackward)
	if begin < 0 {
		return len(line), len(line)
	}
	for i := begin; i < len(line) && !isForward(line[i]); i++ {
		if isBackward(line[i]) {
			end = i + 1
		}
	}
	return begin, end
}

// turned returns letters from the last to the first, except that words from left to right and numbers stay as they are.
func turned(line []rune) []rune {
	out := make([]rune, 0, len(line))
	words := wordsBefore(line)
	for end := len(line); end > 0; {
		begin := end - 1
		switch class := classOf(line[begin]); {
		case words[begin] >= 0:
			begin = words[begin]
		case class == bidi.EN || class == bidi.AN || class == bidi.ET:
			begin = numberBefore(line, end)
		}
		if end-begin == 1 {
			out = append(out, mirrored(line[begin]))
		} else {
			out = append(out, line[begin:end]...)
		}
		end = begin
	}
	return out
}

// wordsBefore returns for each place where the words from left to right begin that end there, or -1. They end with a letter, a number, or a bracket that was
// opened among them.
func wordsBefore(line []rune) []int {
	list := make([]int, len(line))
	begin, open := -1, 0
	for i, r := range line {
		ends := isForward(r) || classOf(r) == bidi.EN
		switch other := mirrored(r); {
		case isBackward(r):
			begin, open = -1, 0
		case begin < 0 && isForward(r):
			begin = i
		case other > r:
			open++
		case other < r && open > 0:
			open, ends = open-1, true
		}
		if list[i] = begin; !ends {
			list[i] = -1
		}
	}
	return list
}

// numberBefore returns where the number begins that ends at end, with the signs on both sides of it, such as that of a currency. There may be no digits.
func numberBefore(line []rune, end int) (begin int) {
	signs := func(end int) int {
		for end > 0 && classOf(line[end-1]) == bidi.ET {
			end--
		}
		return end
	}
	digit := func(at int) bool { return at >= 0 && (classOf(line[at]) == bidi.EN || classOf(line[at]) == bidi.AN) }
	begin = signs(end)
	for digit(begin-1) || begin > 1 && digit(begin-2) && (classOf(line[begin-1]) == bidi.CS || classOf(line[begin-1]) == bidi.ES) {
		begin--
	}
	return signs(begin)
}

// brackets are pairs.
var brackets = []rune("()[]{}<>«»‹›")

// mirrored returns the bracket that looks like r from the other side, or r.
func mirrored(r rune) rune {
	if at := slices.Index(brackets, r); at >= 0 {
		return brackets[at^1]
	}
	return r
}

// plainForms returns letters without the forms that they take in the words of a script, as people write and search for them.
func plainForms(letters []rune) string {
	var out strings.Builder
	for _, r := range letters {
		if r >= firstForm && r <= lastForm && unicode.In(r, unicode.Hebrew, unicode.Arabic) {
			out.WriteString(plainLetters()[r-firstForm])
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// plainLetters returns what each form is written as, from firstForm to lastForm. Normalizing a letter takes long, and a hostile file has millions.
var plainLetters = sync.OnceValue(func() []string {
	list := make([]string, lastForm-firstForm+1)
	for i := range list {
		list[i] = norm.NFKC.String(string(rune(firstForm + i)))
	}
	return list
})
