package jsonpath

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Bounds of a selection.
const (
	MaxDepth  = 1000      // of the document
	maxVisits = 1_000_000 // of values
	maxFound  = 100_000   // values
)

// ErrTooMuch says that a query visits or selects more than is allowed.
var ErrTooMuch = errors.New("the query selects too much")

// evaluation is one run of a query.
type evaluation struct {
	ctx  context.Context //nolint:containedctx // selectors nest deeply, and the evaluation lives within one call
	root any
	left int
	err  error
}

// visit counts one value, and reports whether to go on.
func (e *evaluation) visit() bool {
	e.left--
	if e.left < 0 {
		e.err = ErrTooMuch
	} else if e.left%1024 == 0 && e.ctx.Err() != nil {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// Select returns the values of root that q selects, in order. Root consists of map[string]any, []any, string, bool, nil, and
// float64 or json.Number. The error is ErrTooMuch or that of ctx.
func (q Query) Select(ctx context.Context, root any) ([]any, error) {
	e := &evaluation{ctx: ctx, root: root, left: maxVisits}
	found := e.follow(q.segments, root)
	if e.err != nil {
		return nil, e.err
	}
	if len(found) > maxFound {
		return nil, ErrTooMuch
	}
	return found, nil
}

func (e *evaluation) follow(segments []segment, from any) []any {
	values := []any{from}
	for _, s := range segments {
		var next []any
		for _, v := range values {
			if next = e.segment(s, v, next); e.err != nil {
				return nil
			}
		}
		values = next
	}
	return values
}

func (e *evaluation) segment(s segment, value any, found []any) []any {
	if !e.visit() {
		return found
	}
	for _, each := range s.selectors {
		if found = each.apply(e, value, found); e.err != nil {
			return found
		}
	}
	if s.descendant {
		for member := range members(value) {
			if found = e.segment(s, member, found); e.err != nil {
				return found
			}
		}
	}
	return found
}

// members yields what an object or an array holds.
func members(value any) func(func(any) bool) {
	return func(yield func(any) bool) {
		switch v := value.(type) {
		case []any:
			for _, each := range v {
				if !yield(each) {
					return
				}
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !yield(v[name]) {
					return
				}
			}
		}
	}
}

func (s nameSelector) apply(e *evaluation, value any, found []any) []any {
	if object, ok := value.(map[string]any); ok && e.visit() {
		if member, ok := object[string(s)]; ok {
			return append(found, member)
		}
	}
	return found
}

func (s indexSelector) apply(e *evaluation, value any, found []any) []any {
	array, ok := value.([]any)
	i := int(s)
	if i < 0 {
		i += len(array)
	}
	if ok && i >= 0 && i < len(array) && e.visit() {
		return append(found, array[i])
	}
	return found
}

func (wildcardSelector) apply(e *evaluation, value any, found []any) []any {
	for member := range members(value) {
		if !e.visit() {
			return found
		}
		found = append(found, member)
	}
	return found
}

func (s filterSelector) apply(e *evaluation, value any, found []any) []any {
	for member := range members(value) {
		if !e.visit() {
			return found
		}
		if s.test.holds(e, member) {
			found = append(found, member)
		}
	}
	return found
}

// apply follows section 2.3.4.2.2 of the RFC.
func (s sliceSelector) apply(e *evaluation, value any, found []any) []any {
	array, ok := value.([]any)
	step := 1
	if s.step != nil {
		step = *s.step
	}
	if !ok || step == 0 {
		return found
	}
	n := len(array)
	bound := func(i *int, absent, low, high int) int {
		if i == nil {
			return absent
		}
		at := *i
		if at < 0 {
			at += n
		}
		return min(max(at, low), high)
	}
	if step > 0 {
		for i, end := bound(s.start, 0, 0, n), bound(s.end, n, 0, n); i < end && e.visit(); i += step {
			found = append(found, array[i])
		}
		return found
	}
	for i, end := bound(s.start, n-1, -1, n-1), bound(s.end, -1, -1, n-1); i > end && e.visit(); i += step {
		found = append(found, array[i])
	}
	return found
}

// number returns value as a number.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}
