package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxQuery   = 4096                  // bytes
	maxNesting = 50                    // of brackets, parentheses and filters
	maxInteger = 9_007_199_254_740_991 // 2^53-1, as I-JSON has it
)

// Parse reads a query. The error says what is wrong and at which byte.
func Parse(text string) (q Query, err error) {
	if len(text) > maxQuery || !utf8.ValidString(text) {
		return Query{}, fmt.Errorf("a query is at most %d bytes of UTF-8", maxQuery)
	}
	p := &parser{text: text}
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			q, err = Query{}, failed
		}
	}()
	p.expect("$")
	q.segments = p.segments()
	if p.at < len(p.text) {
		p.fail("unexpected %q", p.rest(10))
	}
	return q, nil
}

// syntaxError leaves the recursive descent; Parse turns it into an error.
type syntaxError struct{ message string }

func (e syntaxError) Error() string { return e.message }

type parser struct {
	text   string
	at     int
	levels int
}

func (p *parser) fail(format string, args ...any) {
	panic(syntaxError{fmt.Sprintf("at byte %d: %s", p.at, fmt.Sprintf(format, args...))})
}

func (p *parser) rest(n int) string { return p.text[p.at:min(p.at+n, len(p.text))] }

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) take(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.take(s) {
		p.fail("%q is missing", s)
	}
}

func (p *parser) enter() {
	if p.levels++; p.levels > maxNesting {
		p.fail("it nests more than %d levels", maxNesting)
	}
}

func (p *parser) segments() []segment {
	var all []segment
	for {
		before := p.at
		p.space()
		switch {
		case p.take(".."):
			s := segment{descendant: true}
			if p.peek() == '[' {
				s.selectors = p.bracketed()
			} else {
				s.selectors = []selector{p.shorthand()}
			}
			all = append(all, s)
		case p.take("."):
			all = append(all, segment{selectors: []selector{p.shorthand()}})
		case p.peek() == '[':
			all = append(all, segment{selectors: p.bracketed()})
		default:
			p.at = before // the space belongs to what follows
			return all
		}
	}
}

func (p *parser) shorthand() selector {
	if p.take("*") {
		return wildcardSelector{}
	}
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		first := r == '_' || r|0x20 >= 'a' && r|0x20 <= 'z' && r < 0x80 || r >= 0x80
		if !first && (p.at == start || r < '0' || r > '9') {
			break
		}
		p.at += size
	}
	if p.at == start {
		p.fail("a name is missing")
	}
	return nameSelector(p.text[start:p.at])
}

func (p *parser) bracketed() []selector {
	p.expect("[")
	p.enter()
	var all []selector
	for {
		p.space()
		all = append(all, p.selector())
		p.space()
		if p.take("]") {
			p.levels--
			return all
		}
		p.expect(",")
	}
}

func (p *parser) selector() selector {
	switch c := p.peek(); {
	case c == '"' || c == '\'':
		return nameSelector(p.quoted())
	case p.take("*"):
		return wildcardSelector{}
	case p.take("?"):
		p.space()
		return filterSelector{test: p.or()}
	}
	return p.slice()
}

// slice reads a slice or an index.
func (p *parser) slice() selector {
	start := p.optionalInteger()
	before := p.at
	p.space()
	if !p.take(":") {
		p.at = before
		if start == nil {
			p.fail("a selector is missing")
		}
		return indexSelector(*start)
	}
	s := sliceSelector{start: start}
	p.space()
	s.end = p.optionalInteger()
	before = p.at
	p.space()
	if p.take(":") {
		p.space()
		s.step = p.optionalInteger()
	} else {
		p.at = before
	}
	return s
}

func (p *parser) optionalInteger() *int {
	start := p.at
	p.take("-")
	for p.peek() >= '0' && p.peek() <= '9' {
		p.at++
	}
	text := p.text[start:p.at]
	if text == "" {
		return nil
	}
	digits := strings.TrimPrefix(text, "-")
	n, err := strconv.Atoi(text)
	if err != nil || len(digits) > 1 && digits[0] == '0' || text == "-0" || n > maxInteger || n < -maxInteger {
		p.fail("%q is no integer of a query", text)
	}
	return &n
}
