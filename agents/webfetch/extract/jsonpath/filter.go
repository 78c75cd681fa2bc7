package jsonpath

func (x orExpr) holds(e *evaluation, current any) bool {
	for _, each := range x {
		if each.holds(e, current) {
			return true
		}
	}
	return false
}

func (x andExpr) holds(e *evaluation, current any) bool {
	for _, each := range x {
		if !each.holds(e, current) {
			return false
		}
	}
	return true
}

func (x notExpr) holds(e *evaluation, current any) bool { return !x.of.holds(e, current) }

func (x existsExpr) holds(e *evaluation, current any) bool { return len(x.query.nodes(e, current)) > 0 }

func (q queryExpr) nodes(e *evaluation, current any) []any {
	if q.root {
		return e.follow(q.segments, e.root)
	}
	return e.follow(q.segments, current)
}

// value returns what a singular query selects.
func (q queryExpr) value(e *evaluation, current any) (any, bool) {
	if nodes := q.nodes(e, current); len(nodes) == 1 {
		return nodes[0], true
	}
	return nil, false
}

func (l literal) value(*evaluation, any) (any, bool) { return l.is, true }

func (x compareExpr) holds(e *evaluation, current any) bool {
	left, hasLeft := x.left.value(e, current)
	right, hasRight := x.right.value(e, current)
	same := func() bool {
		if !hasLeft || !hasRight {
			return hasLeft == hasRight
		}
		return equal(e, left, right)
	}
	ordered := func(a, b any) bool { return hasLeft && hasRight && less(a, b) }
	switch x.operator {
	case "==":
		return same()
	case "!=":
		return !same()
	case "<":
		return ordered(left, right)
	case ">":
		return ordered(right, left)
	case "<=":
		return ordered(left, right) || same()
	default:
		return ordered(right, left) || same()
	}
}

func less(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x < y
	}
	x, ok := a.(string)
	y, also := b.(string)
	return ok && also && x < y // bytes of UTF-8 are in the order of code points
}

func equal(e *evaluation, a, b any) bool {
	if !e.visit() {
		return false
	}
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && equalArrays(e, x, y)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && equalObjects(e, x, y)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func equalArrays(e *evaluation, a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(e, a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalObjects(e *evaluation, a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if other, ok := b[name]; !ok || !equal(e, a[name], other) {
			return false
		}
	}
	return true
}
