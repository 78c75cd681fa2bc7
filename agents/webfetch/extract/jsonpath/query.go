package jsonpath

// Query is a parsed query. It is safe for concurrent use.
type Query struct {
	segments []segment
}

// segment selects from each of the values so far, or from those and all below them.
type segment struct {
	selectors  []selector
	descendant bool
}

// selector selects from the members of one value.
type selector interface {
	apply(e *evaluation, value any, found []any) []any
}

type (
	nameSelector     string
	indexSelector    int
	wildcardSelector struct{}
	sliceSelector    struct{ start, end, step *int }
	filterSelector   struct{ test logical }
)

// singular reports whether a query can select one value at most.
func singular(segments []segment) bool {
	for _, s := range segments {
		if s.descendant || len(s.selectors) != 1 {
			return false
		}
		switch s.selectors[0].(type) {
		case nameSelector, indexSelector:
		default:
			return false
		}
	}
	return true
}

// logical is an expression that is true or false for a current value.
type logical interface {
	holds(e *evaluation, current any) bool
}

type (
	orExpr      []logical
	andExpr     []logical
	notExpr     struct{ of logical }
	existsExpr  struct{ query queryExpr }
	compareExpr struct {
		left, right operand
		operator    string
	}
)

// operand has one value or none.
type operand interface {
	value(e *evaluation, current any) (any, bool)
}

type literal struct{ is any } // string, float64, bool or nil

// queryExpr is a query within a filter.
type queryExpr struct {
	segments []segment
	root     bool // from $ instead of @
}
