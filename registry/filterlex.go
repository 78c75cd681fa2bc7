package registry

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

type filterToken struct {
	kind tokenKind
	text string
	at   int // the byte where it begins
}

// wild reports whether a star at either end stands for anything. A quoted one does too, as AIP-160 has it.
func (t filterToken) wild() bool {
	return strings.HasPrefix(t.text, "*") || strings.HasSuffix(t.text, "*")
}

// filterSigns end a bare word.
const filterSigns = " \t\r\n()=!<>:\"'"

// lexFilter returns the tokens of a filter with one tokenEnd behind them.
func lexFilter(text string) ([]filterToken, error) {
	var tokens []filterToken
	for at := 0; at < len(text); {
		rest := text[at:]
		switch c := rest[0]; c {
		case ' ', '\t', '\r', '\n':
			at++
			continue
		case '(', ')':
			tokens = append(tokens, filterToken{tokenSign, rest[:1], at})
			at++
		case '"', '\'':
			value, length, ok := unquote(rest)
			if !ok {
				return nil, fault.Invalid("filter", "FILTER_INVALID", "at %d: the quotation mark is not closed", at+1)
			}
			tokens = append(tokens, filterToken{tokenQuoted, value, at})
			at += length
		case '=', '!', '<', '>', ':':
			length := 1
			if strings.IndexByte("!<>", c) >= 0 && strings.HasPrefix(rest[1:], "=") {
				length = 2
			}
			if rest[:length] == "!" {
				return nil, fault.Invalid("filter", "FILTER_INVALID", "at %d: not equal is written !=", at+1)
			}
			tokens = append(tokens, filterToken{tokenOperator, rest[:length], at})
			at += length
		default:
			token := bareToken(rest, at)
			tokens = append(tokens, token)
			at += len(token.text)
		}
	}
	return append(tokens, filterToken{kind: tokenEnd, at: len(text)}), nil
}

// bareToken returns the keyword, minus sign or word that rest begins with.
func bareToken(rest string, at int) filterToken {
	word := rest
	if end := strings.IndexAny(rest, filterSigns); end >= 0 {
		word = rest[:end]
	}
	if len(word) >= 1 && word[0] == '-' {
		return filterToken{tokenSign, "-", at}
	}
	switch word {
	case "AND", "OR", "NOT":
		return filterToken{tokenSign, word, at}
	}
	return filterToken{tokenText, word, at}
}

// unquote reads a text in quotation marks, in which a backslash takes the next byte as it is.
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
