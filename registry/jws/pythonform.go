package jws

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// The A2A project's SDK for Python signs a form of its own (a2a-python 1.1, a2a/utils/signing.py): it leaves out everything that is empty, also what the
// specification requires, and writes all characters but those of ASCII as escapes. Of what the signature then does not cover, one thing says something:
// that a scheme without scopes is required ("securityRequirements": [{"schemes": {"bearer": {}}}]). An agent decides itself whom it answers, so whoever
// adds or removes that gains nothing.

// pythonForm returns the payload that the SDK signs for a card whose payload by the specification is given.
func pythonForm(payload []byte) ([]byte, error) {
	tree, err := decode(payload)
	if err != nil {
		return nil, err
	}
	withoutEmpty(tree)
	form, err := encode(tree)
	return escapeNonASCII(form), err
}

// withoutEmpty returns value without the texts, lists and objects in it that are empty, or nil when nothing is left.
func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if v[name] = withoutEmpty(field); v[name] == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		var left []any
		for _, element := range v {
			if element = withoutEmpty(element); element != nil {
				left = append(left, element)
			}
		}
		if left == nil {
			return nil
		}
		return left
	case string:
		if v == "" {
			return nil
		}
	}
	return value
}

// escapeNonASCII writes each character that is not a printable one of ASCII as an escape, in two halves if it needs them.
func escapeNonASCII(form []byte) []byte {
	var escaped []byte
	for _, r := range string(form) {
		if r < 0x7f {
			escaped = utf8.AppendRune(escaped, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
	}
	return escaped
}
