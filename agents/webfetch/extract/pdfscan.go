package extract

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Limits of the operators of a PDF.
const (
	maxPDFOperands = 1 << 16 // of one operator, or in one list
	maxPDFString   = 1 << 20 // bytes of a string or a name
)

// pdfOperand is a number, a string, a name, or a list of numbers and strings. Anything else is an operand without value.
type pdfOperand struct {
	kind   byte // 'n', 's', '/', '[' or 0
	number float64
	text   string
	list   []pdfOperand
}

// pdfScanner reads the operators of a stream.
type pdfScanner struct {
	in       *bufio.Reader
	operands []pdfOperand
}

// scanPDF calls do with each operator in a stream, or in a list of streams, and its operands, which are valid until do returns. It panics when the
// stream cannot be read to its end.
func (b *pdfBook) scan(contents pdf.Value, do func(op string, operands []pdfOperand)) {
	streams := []io.Reader{}
	if contents.Kind() == pdf.Array {
		for i := range min(contents.Len(), maxPDFOperands) {
			streams = append(streams, b.stream(contents.Index(i)), strings.NewReader("\n"))
		}
	} else {
		streams = append(streams, b.stream(contents))
	}
	s := &pdfScanner{in: bufio.NewReader(io.MultiReader(streams...))}
	for {
		c, ok := s.next()
		if !ok {
			return
		}
		if op := s.operand(c); op != "" {
			if op == "BI" {
				s.skipPicture()
			}
			do(op, s.operands)
			s.operands = s.operands[:0]
		}
	}
}

// pacedReader ends reading when the time is used up.
type pacedReader struct {
	io.Reader

	file *boundedFile
}

func (r pacedReader) Read(p []byte) (int, error) {
	if r.file.over() {
		panic(errPDFWork)
	}
	return r.Reader.Read(p)
}

// byte returns the next byte; ok is false at the end.
func (s *pdfScanner) byte() (c byte, ok bool) {
	c, err := s.in.ReadByte()
	if err != nil && !errors.Is(err, io.EOF) {
		panic(err)
	}
	return c, err == nil
}

// next returns the next byte that is neither space nor in a comment.
func (s *pdfScanner) next() (c byte, ok bool) {
	for c, ok = s.byte(); ok; c, ok = s.byte() {
		switch {
		case c == '%':
			for ok && c != '\n' && c != '\r' {
				c, ok = s.byte()
			}
		case !blankPDF(c):
			return c, true
		}
	}
	return 0, false
}

func blankPDF(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimits(c byte) bool { return blankPDF(c) || strings.IndexByte("()<>[]{}/%", c) >= 0 }

// operand reads what begins with c, and returns its name if it is an operator.
func (s *pdfScanner) operand(c byte) (op string) {
	value := pdfOperand{}
	switch {
	case c == '[':
		value = s.array()
	case c == '<' && s.peek('<'):
		s.dictionary()
	case c == '/':
		value = pdfOperand{kind: '/', text: unescapeName(s.word(""))}
	case c == '(' || c == '<' || number(c):
		value = s.scalar(c)
	case delimits(c):
		return "" // a bracket that closes nothing
	default:
		switch op = s.word(string(c)); op {
		case "true", "false", "null":
		default:
			return op
		}
	}
	if len(s.operands) == maxPDFOperands {
		panic(errPDFOperator)
	}
	s.operands = append(s.operands, value)
	return ""
}

func number(c byte) bool { return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' }

// scalar reads a string or a number that begins with c.
func (s *pdfScanner) scalar(c byte) pdfOperand {
	switch c {
	case '(':
		return pdfOperand{kind: 's', text: s.literal()}
	case '<':
		return pdfOperand{kind: 's', text: s.hex()}
	}
	n, err := strconv.ParseFloat(s.word(string(c)), 64)
	if err != nil {
		n = 0 // as other readers have it
	}
	return pdfOperand{kind: 'n', number: n}
}

// peek reports whether the next byte is c, and then skips it.
func (s *pdfScanner) peek(c byte) bool {
	next, err := s.in.Peek(1)
	if err != nil || next[0] != c {
		return false
	}
	_, _ = s.in.Discard(1)
	return true
}

// word reads on to the end of a word.
func (s *pdfScanner) word(begin string) string {
	word := []byte(begin)
	for c, ok := s.byte(); ok; c, ok = s.byte() {
		if delimits(c) {
			_ = s.in.UnreadByte()
			break
		}
		if word = append(word, c); len(word) > maxPDFString {
			panic(errPDFOperator)
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

// array reads a list after its bracket. Lists in it are read as a part of it.
func (s *pdfScanner) array() pdfOperand {
	list := pdfOperand{kind: '['}
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
		if len(list.list) == maxPDFOperands {
			panic(errPDFOperator)
		}
	}
	return list
}

// dictionary skips a dictionary after its brackets.
func (s *pdfScanner) dictionary() {
	open := 1
	for c, ok := s.next(); ok && open > 0; {
		switch {
		case c == '>' && s.peek('>'):
			if open--; open == 0 {
				return
			}
		case c == '<' && s.peek('<'):
			open++
		case c == '(' || c == '<':
			s.scalar(c)
		}
		c, ok = s.next()
	}
}
