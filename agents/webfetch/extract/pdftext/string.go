package pdftext

import "strings"

// literal reads a string after its opening parenthesis.
func (s *scanner) literal() string {
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
		if out = append(out, c); len(out) > maxString {
			panic(errOperator)
		}
	}
	return string(out)
}

// escape reads what follows a backslash. ok is false after the end of a line, which stands for nothing.
func (s *scanner) escape() (c byte, ok bool) {
	c, ok = s.byte()
	switch {
	case !ok || c == '\n':
		return 0, false
	case c == '\r':
		s.accept('\n')
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
		return byte(code), true // the specification ignores what does not fit into a byte
	}
	if i := strings.IndexByte("nrtbf", c); i >= 0 {
		return "\n\r\t\b\f"[i], true
	}
	return c, true
}

// hex reads a string of hexadecimal digits after its opening bracket.
func (s *scanner) hex() string {
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
		if len(out) > maxString {
			panic(errOperator)
		}
	}
	if have {
		out = append(out, half)
	}
	return string(out)
}

// skipImage skips an inline image up to the operator EI, which its bytes may contain by chance.
func (s *scanner) skipImage() {
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
		if c == 'E' && blank(before) && s.endsImage() {
			_, _ = s.in.Discard(1)
			return
		}
		before = c
	}
}

// endsImage reports whether the next bytes complete the operator EI: operators follow it, and not more of an image.
func (s *scanner) endsImage() bool {
	const enough = 12
	next, _ := s.in.Peek(enough)
	if len(next) == 0 || next[0] != 'I' || len(next) > 1 && !blank(next[1]) {
		return false
	}
	for _, c := range next[1:] {
		if c >= 0x7f || c < ' ' && !blank(c) || c == 0 {
			return false
		}
	}
	return true
}
