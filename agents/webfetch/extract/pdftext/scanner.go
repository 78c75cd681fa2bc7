package pdftext

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Limits of content streams.
const (
	maxOperands = 1 << 16 // of one operator, or in one list
	maxString   = 1 << 20 // bytes of a string or a name
)

// operand is a number, a string, a name, or an array of numbers and strings. Operands of other types have no value.
type operand struct {
	kind   byte // 'n' for a number, 's' for a string, '/' for a name, '[' for an array, otherwise 0
	number float64
	text   string
	list   []operand
}

// scanner reads the operators of content streams.
type scanner struct {
	in       *bufio.Reader
	operands []operand
}

// operators yields the operators of a content stream, or of an array of them, with their operands, which are valid until the next operator. It panics when
// the stream cannot be read to its end.
func (d *document) operators(contents pdf.Value) iter.Seq2[string, []operand] {
	return func(yield func(string, []operand) bool) {
		s := &scanner{in: bufio.NewReader(d.contents(contents))}
		for c, ok := s.next(); ok; c, ok = s.next() {
			op := s.operand(c)
			if op == "" {
				continue
			}
			if op == "BI" {
				s.skipImage()
			}
			if !yield(op, s.operands) {
				return
			}
			s.operands = s.operands[:0]
		}
	}
}

// contents returns the bytes of a stream, or of an array of streams, each of which ends a word.
func (d *document) contents(v pdf.Value) io.Reader {
	if v.Kind() != pdf.Array {
		return d.stream(v)
	}
	var streams []io.Reader
	for i := range min(v.Len(), maxOperands) {
		streams = append(streams, d.stream(v.Index(i)), strings.NewReader("\n"))
	}
	return io.MultiReader(streams...)
}

// byte returns the next byte; ok is false at the end.
func (s *scanner) byte() (c byte, ok bool) {
	c, err := s.in.ReadByte()
	if err != nil && !errors.Is(err, io.EOF) {
		panic(err)
	}
	return c, err == nil
}

// next returns the next byte that is neither space nor in a comment.
func (s *scanner) next() (c byte, ok bool) {
	for c, ok = s.byte(); ok; c, ok = s.byte() {
		switch {
		case c == '%':
			for ok && c != '\n' && c != '\r' {
				c, ok = s.byte()
			}
		case !blank(c):
			return c, true
		}
	}
	return 0, false
}

func blank(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimits(c byte) bool { return blank(c) || strings.IndexByte("()<>[]{}/%", c) >= 0 }

// operand reads an operand that begins with c, or else returns the operator that does.
func (s *scanner) operand(c byte) (op string) {
	value := operand{}
	switch {
	case c == '[':
		value = s.array()
	case c == '<' && s.accept('<'):
		s.dictionary()
	case c == '/':
		value = operand{kind: '/', text: unescapeName(s.word(""))}
	case c == '(' || c == '<' || number(c):
		value = s.scalar(c)
	case delimits(c):
		return "" // a bracket that nothing has opened
	default:
		switch op = s.word(string(c)); op {
		case "true", "false", "null":
		default:
			return op
		}
	}
	if len(s.operands) == maxOperands {
		panic(errOperator)
	}
	s.operands = append(s.operands, value)
	return ""
}

func number(c byte) bool { return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' }

// scalar reads a string or a number that begins with c.
func (s *scanner) scalar(c byte) operand {
	switch c {
	case '(':
		return operand{kind: 's', text: s.literal()}
	case '<':
		return operand{kind: 's', text: s.hex()}
	}
	n, err := strconv.ParseFloat(s.word(string(c)), 64)
	if err != nil {
		n = 0 // as other readers do
	}
	return operand{kind: 'n', number: n}
}

// accept skips the next byte if it is c, and reports whether it was.
func (s *scanner) accept(c byte) bool {
	next, err := s.in.Peek(1)
	if err != nil || next[0] != c {
		return false
	}
	_, _ = s.in.Discard(1)
	return true
}

// word reads the rest of a word that begins with begin, and returns all of it.
func (s *scanner) word(begin string) string {
	word := []byte(begin)
	for c, ok := s.byte(); ok; c, ok = s.byte() {
		if delimits(c) {
			_ = s.in.UnreadByte()
			break
		}
		if word = append(word, c); len(word) > maxString {
			panic(errOperator)
		}
	}
	return string(word)
}

func unescapeName(name string) string {
	if !strings.Contains(name, "#") {
		return name
	}
	return string(unescapeNames([]byte(name)))
}

// array reads an array after its bracket. The elements of arrays in it become its own.
func (s *scanner) array() operand {
	list := operand{kind: '['}
	open := 1
	for c, ok := s.next(); ok; c, ok = s.next() {
		switch {
		case c == ']':
			open--
		case c == '[':
			open++
		case c == '(' || c == '<' || number(c):
			list.list = append(list.list, s.scalar(c))
		case !delimits(c):
			s.word("")
		}
		if open == 0 {
			break
		}
		if len(list.list) == maxOperands {
			panic(errOperator)
		}
	}
	return list
}

// dictionary skips a dictionary after its opening brackets.
func (s *scanner) dictionary() {
	open := 1
	for c, ok := s.next(); ok && open > 0; {
		switch {
		case c == '>' && s.accept('>'):
			if open--; open == 0 {
				return
			}
		case c == '<' && s.accept('<'):
			open++
		case c == '(' || c == '<':
			s.scalar(c)
		}
		c, ok = s.next()
	}
}
