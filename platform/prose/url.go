// Package prose finds URLs in texts that people write.
package prose

import (
	"iter"
	"regexp"
	"strings"
)

// inText matches URLs in texts; Japanese and Chinese punctuation ends one as white space does.
var inText = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"'` + "`" + `\\^{}|、。，「」『』（）［］【】〈〉《》]+`)

// URLs yields the http and https URLs in a text, without the punctuation of the sentence around them.
func URLs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			at := inText.FindStringIndex(text)
			if at == nil || !yield(TrimURL(text[at[0]:at[1]])) {
				return
			}
			text = text[at[1]:]
		}
	}
}

// TrimURL drops the punctuation of the sentence around a URL that was found in a text, but not a bracket that the URL itself opens.
func TrimURL(raw string) string {
	const opening, closing = "([{", ")]}"
	var more [len(closing)]int // how many more brackets of a kind close than open
	for i := range len(raw) {
		if kind := strings.IndexByte(closing, raw[i]); kind >= 0 {
			more[kind]++
		} else if kind := strings.IndexByte(opening, raw[i]); kind >= 0 {
			more[kind]--
		}
	}
	for end := len(raw); end > 0; end-- {
		switch kind := strings.IndexByte(closing, raw[end-1]); {
		case strings.IndexByte(".,;:!?'*_~", raw[end-1]) >= 0:
		case kind >= 0 && more[kind] > 0:
			more[kind]--
		default:
			return raw[:end]
		}
	}
	return ""
}
