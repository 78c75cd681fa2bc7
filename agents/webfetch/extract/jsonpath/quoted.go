package jsonpath

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted reads a string in single or double quotes.
func (p *parser) quoted() string {
	quote := p.peek()
	p.at++
	var out strings.Builder
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		switch {
		case r == rune(quote):
			p.at++
			return out.String()
		case r < ' ':
			p.fail("a control character in a string")
		case r == '\\':
			p.at++
			out.WriteRune(p.escaped(quote))
			continue
		}
		out.WriteRune(r)
		p.at += size
	}
	p.fail("a string does not end")
	return ""
}

// escaped reads what follows a backslash.
func (p *parser) escaped(quote byte) rune {
	c := p.peek()
	p.at++
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '/', '\\', quote:
		return rune(c)
	case 'u':
		return p.codePoint()
	}
	p.at--
	p.fail("an unknown escape %q", p.rest(1))
	return 0
}

func (p *parser) codePoint() rune {
	r := p.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if p.take(`\u`) {
		if whole := utf16.DecodeRune(r, p.hex()); whole != utf8.RuneError {
			return whole
		}
	}
	p.fail("half of a surrogate pair")
	return 0
}

func (p *parser) hex() rune {
	digits := p.rest(4)
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || len(digits) < 4 {
		p.fail("%q is no code point", digits)
	}
	p.at += 4
	return rune(n)
}
