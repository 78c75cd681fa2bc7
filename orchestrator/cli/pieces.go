package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// joinTexts makes one part of the texts of an artifact that follow each other, for people to read: an agent that streams what its model says makes a
// part of every few letters of it. Texts that are files stay by themselves.
func joinTexts(parts []*a2apb.Part) []*a2apb.Part {
	var joined []*a2apb.Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			joined = append(joined, textPart(text.String()))
			text.Reset()
		}
	}
	for _, part := range parts {
		if _, ok := part.GetContent().(*a2apb.Part_Text); !ok || part.GetFilename() != "" {
			flush()
			joined = append(joined, part)
			continue
		}
		if startsAnew(text.String(), part.GetText()) {
			text.WriteByte('\n')
		}
		text.WriteString(part.GetText())
	}
	flush()
	return joined
}

// startsAnew reports whether a text, as opposed to the next piece of one, follows what comes before: a sentence has ended, and another begins without the
// space that would be between them in a text.
func startsAnew(before, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(next)
	return strings.ContainsRune(".!?:", last) && unicode.IsUpper(first)
}
