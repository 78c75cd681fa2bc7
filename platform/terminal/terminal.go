// Package terminal recognizes terminals, and makes text from outside harmless for those who read it in one.
package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is reports whether a stream, such as os.Stdin, is a terminal. A stream without a file descriptor is none.
func Is(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(file.Fd()))
}

// Escape makes text from outside harmless: control characters, which can move the cursor or rename the window of a terminal, and format characters,
// which can reverse the writing direction, become Go escapes. If many is true, line breaks and tabs stay, and a line break of two
// characters becomes one.
func Escape(text string, many bool) string {
	if many {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case many && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			b.WriteString(strings.Trim(fmt.Sprintf("%+q", r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
