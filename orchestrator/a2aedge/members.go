package a2aedge

import "bytes"

// member is a member of a JSON object, not decoded: the name without quotes, the value, and both together.
type member struct{ name, value, whole []byte }

// members calls visit for the members of an object in valid JSON. It returns false if visit does, or at a member with an escape in its name or a
// value deeper than maxDepth.
func members(object []byte, visit func(member) bool) bool {
	i := space(object, 0)
	if i >= len(object) || object[i] != '{' {
		return false
	}
	for i = space(object, i+1); object[i] != '}'; {
		start, end := i, text(object, i)
		name := object[start+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			return false
		}
		from := space(object, space(object, end)+1) // behind the colon
		to, ok := value(object, from)
		if !ok || !visit(member{name, object[from:to], object[start:to]}) {
			return false
		}
		if i = space(object, to); object[i] == ',' {
			i = space(object, i+1)
		}
	}
	return true
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// text returns the end of the string that begins at i.
func text(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// value returns the end of the value that begins at i. ok is false when the value is too deep.
func value(b []byte, i int) (end int, ok bool) {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = text(b, i)
			if depth == 0 {
				return i, true
			}
			continue
		case '{', '[':
			if depth++; depth > maxDepth {
				return 0, false
			}
		case '}', ']':
			if depth == 0 {
				return i, true // behind a number or a word
			}
			if depth--; depth == 0 {
				return i + 1, true
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i, true
			}
		}
		i++
	}
	return i, true
}
