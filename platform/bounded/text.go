package bounded

import "strings"

// Text returns text, or of one longer than most bytes its beginning, with a word that it is cut, within as many.
func Text(text string, most int) string {
	const cut = "… (cut)"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(cut))], "") + cut
}
