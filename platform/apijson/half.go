package apijson

import (
	"strconv"
	"unicode"
	"unicode/utf16"
)

const escapeLength = len(`\u0000`)

// halfCharacter returns the first escape in valid JSON that is half of a character without the other half; "" if there is none. JavaScript writes it for a text
// that was cut within an emoji.
func halfCharacter(valid []byte) string {
	for i := 0; i < len(valid); i++ {
		if valid[i] != '\\' {
			continue
		}
		unit, escaped := codeUnit(valid[i:])
		switch {
		case !escaped:
			i++ // the character that the backslash is for
			continue
		case utf16.IsSurrogate(unit):
			other, _ := codeUnit(valid[i+escapeLength:])
			if utf16.DecodeRune(unit, other) == unicode.ReplacementChar {
				return string(valid[i : i+escapeLength])
			}
			i += escapeLength
		}
		i += escapeLength - 1
	}
	return ""
}

// codeUnit returns what an escape at the beginning of text stands for; ok is false when there is none.
func codeUnit(text []byte) (unit rune, ok bool) {
	if len(text) < escapeLength || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:escapeLength]), 16, 16)
	return rune(n), err == nil
}
