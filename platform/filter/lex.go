package filter

import (
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenText
	tokenQuoted
	tokenOperator
	tokenSign // parentheses, minus and keywords
)

type token struct {
	kind tokenKind
	text string
	at   int // the byte where it begins
}

// signs end a bare word.
const signs = " \t\r\n()=!<>:\"'"

// lex returns the tokens of a filter, followed by one tokenEnd.
func lex(text string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(text); {
		rest := text[at:]
		switch c := rest[0]; c {
		case ' ', '\t', '\r', '\n':
			at++
		case '(', ')':
			tokens = append(tokens, token{tokenSign, rest[:1], at})
			at++
		case '"', '\'':
			value, length, ok := unquote(rest)
			if !ok {
				return nil, fault.Invalid("filter", "FILTER_INVALID", "at %d: the quotation mark is not closed", at+1)
			}
			tokens = append(tokens, token{tokenQuoted, value, at})
			at += length
		case '=', '!', '<', '>', ':':
			length := 1
			if strings.IndexByte("!<>", c) >= 0 && strings.HasPrefix(rest[1:], "=") {
				length = 2
			}
			if rest[:length] == "!" {
				return nil, fault.Invalid("filter", "FILTER_INVALID", "at %d: not equal is written !=", at+1)
			}
			tokens = append(tokens, token{tokenOperator, rest[:length], at})
			at += length
		default:
			word := bareToken(rest, at)
			tokens = append(tokens, word)
			at += len(word.text)
		}
	}
	return append(tokens, token{kind: tokenEnd, at: len(text)}), nil
}

// bareToken returns the keyword, minus sign or word at the beginning of rest.
func bareToken(rest string, at int) token {
	word := rest
	if end := strings.IndexAny(rest, signs); end >= 0 {
		word = rest[:end]
	}
	if word[0] == '-' {
		return token{tokenSign, "-", at}
	}
	switch word {
	case "AND", "OR", "NOT":
		return token{tokenSign, word, at}
	}
	return token{tokenText, word, at}
}

// unquote reads a text in quotation marks, in which a backslash escapes the next byte.
func unquote(rest string) (value string, length int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case rest[0]:
			return b.String(), i + 1, true
		case '\\':
			if i++; i == len(rest) {
				return "", 0, false
			}
			b.WriteByte(rest[i])
		default:
			b.WriteByte(rest[i])
		}
	}
	return "", 0, false
}
