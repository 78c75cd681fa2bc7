package extract

import "strings"

// literal reads a string after its parenthesis.
func (s *pdfScanner) literal() string {
	var out []byte
	open := 1
	for c, ok := s.byte(); ok; c, ok = s.byte() {
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return string(out)
			}
		case '\\':
			if c, ok = s.escape(); !ok {
				continue
			}
		}
		if out = append(out, c); len(out) > maxPDFString {
			panic(errPDFOperator)
		}
	}
	return string(out)
}

// escape reads what follows a backslash; ok is false if that is the end of a line, which stands for nothing.
func (s *pdfScanner) escape() (c byte, ok bool) {
	c, ok = s.byte()
	switch {
	case !ok || c == '\n':
		return 0, false
	case c == '\r':
		s.peek('\n')
		return 0, false
	case c >= '0' && c <= '7':
		code := int(c - '0')
		for range 2 {
			if next, err := s.in.Peek(1); err != nil || next[0] < '0' || next[0] > '7' {
				break
			}
			c, _ = s.byte()
			code = code<<3 | int(c-'0')
		}
		return byte(code), true // without what does not fit, as the specification has it
	}
	if i := strings.IndexByte("nrtbf", c); i >= 0 {
		return "\n\r\t\b\f"[i], true
	}
	return c, true
}

// hex reads a string of hexadecimal digits after its bracket.
func (s *pdfScanner) hex() string {
	var out []byte
	half, have := byte(0), false
	for c, ok := s.byte(); ok && c != '>'; c, ok = s.byte() {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 || c < '0' {
			continue
		}
		if have {
			out = append(out, half|byte(digit)) //nolint:gosec // below 16
		}
		half, have = byte(digit)<<4, !have //nolint:gosec // below 16
		if len(out) > maxPDFString {
			panic(errPDFOperator)
		}
	}
	if have {
		out = append(out, half)
	}
	return string(out)
}

// skipPicture skips a picture that stands among the operators, up to the word EI. Its bytes may look like anything.
func (s *pdfScanner) skipPicture() {
	for op := ""; op != "ID"; {
		c, ok := s.next()
		if !ok {
			return
		}
		op = s.operand(c)
	}
	s.operands = s.operands[:0]
	before := byte(' ')
	for c, ok := s.byte(); ok; c, ok = s.byte() {
		if c == 'E' && blankPDF(before) && s.endsPicture() {
			_, _ = s.in.Discard(1)
			return
		}
		before = c
	}
}

// endsPicture reports whether the next bytes complete the word EI and are followed by text, rather than by more of a picture.
func (s *pdfScanner) endsPicture() bool {
	const enough = 12
	next, _ := s.in.Peek(enough)
	if len(next) == 0 || next[0] != 'I' || len(next) > 1 && !blankPDF(next[1]) {
		return false
	}
	for _, c := range next[1:] {
		if c >= 0x7f || c < ' ' && !blankPDF(c) || c == 0 {
			return false
		}
	}
	return true
}
