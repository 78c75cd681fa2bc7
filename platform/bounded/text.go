package bounded

import "strings"

// Text returns text if it has at most most bytes, and otherwise its beginning with a note that it is cut, together at most most bytes.
func Text(text string, most int) string {
	const cut = "… (cut)"
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(cut))], "") + cut
}

// Characters returns the first most characters of text.
func Characters(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}
