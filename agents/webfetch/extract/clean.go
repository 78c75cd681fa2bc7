package extract

import (
	"strings"
	"unicode/utf8"
)

// clean drops characters that a reader cannot see and a language model can: controls, direction marks and the tag block,
// which carries hidden text (https://www.unicode.org/reports/tr36/).
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, // controls
			r == 0x200b, r == 0x2060, r == 0xfeff, // zero width
			r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // direction
			r >= 0xe0000 && r <= 0xe007f: // tags
			return -1
		}
		return r
	}, s)
}

// line returns s on one line, at most n characters long, without invisible characters.
func line(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n] // keeps the work small; a cut rune becomes a mark and is behind the end
	}
	return prefix(strings.Join(strings.Fields(clean(strings.ToValidUTF8(s, "\ufffd"))), " "), n)
}

// prefix returns the first n characters of s.
func prefix(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
