package filter

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field says how a field of items is compared. The constructors in this file make it.
type Field[T any] struct {
	compare func(operator string, value token) (condition[T], error)
	list    bool
}

// wild reports whether a value has a star at either end, which matches any text. As AIP-160 demands, this also holds for quoted text.
func wild(value string) bool {
	return strings.HasPrefix(value, "*") || strings.HasSuffix(value, "*")
}

// wildcard returns a function that compares a text with a value that may have a star at either end.
func wildcard(value string) func(string) bool {
	inner, front := strings.CutPrefix(value, "*")
	inner, back := strings.CutSuffix(inner, "*")
	switch {
	case value == "*":
		return func(text string) bool { return text != "" }
	case front && back:
		return func(text string) bool { return strings.Contains(text, inner) }
	case front:
		return func(text string) bool { return strings.HasSuffix(text, inner) }
	case back:
		return func(text string) bool { return strings.HasPrefix(text, inner) }
	default:
		return func(text string) bool { return text == value }
	}
}

// Text is a field with text. With = and !=, a * at either end matches any text; the has operator (:) finds the value anywhere, ignoring case.
func Text[T any](get func(*T) string) Field[T] {
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		switch operator {
		case ":":
			part := strings.ToLower(strings.Trim(value.text, "*"))
			return func(item *T) bool {
				text := get(item)
				return text != "" && strings.Contains(strings.ToLower(text), part)
			}, nil
		case "=":
			same := wildcard(value.text)
			return func(item *T) bool { return same(get(item)) }, nil
		case "!=":
			same := wildcard(value.text)
			return func(item *T) bool { return !same(get(item)) }, nil
		}
		is := ordering(operator)
		return func(item *T) bool { return is(strings.Compare(get(item), value.text)) }, nil
	}}
}

// Word is a field whose value is one of the known words. It can be compared with = and !=.
func Word[T any](known []string, get func(*T) string) Field[T] {
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		if !slices.Contains(known, value.text) {
			return nil, fmt.Errorf("the values are %s", strings.Join(known, ", "))
		}
		switch operator {
		case "=", ":":
			return func(item *T) bool { return get(item) == value.text }, nil
		case "!=":
			return func(item *T) bool { return get(item) != value.text }, nil
		}
		return nil, errors.New("the values have no order; use = or !=")
	}}
}

// Enum is a Word whose known words begin with the name of their enum, which a filter may leave out: FAILED is TASK_STATE_FAILED.
func Enum[T any](prefix string, known []string, get func(*T) string) Field[T] {
	word := Word(known, get)
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		if full := prefix + value.text; slices.Contains(known, full) {
			value.text = full
		}
		return word.compare(operator, value)
	}}
}

// List is a field that is a list of texts, in which the has operator (:) finds one. holds reports whether any text of the item is the one that is looked for.
func List[T any](holds func(item *T, is func(string) bool) bool) Field[T] {
	return Folded(func(value string) string { return value }, holds)
}

// Folded is a List of texts in the form of fold, into which it brings the values of filters too.
func Folded[T any](fold func(string) string, holds func(item *T, is func(string) bool) bool) Field[T] {
	return Field[T]{list: true, compare: func(operator string, value token) (condition[T], error) {
		if operator != ":" {
			return nil, errors.New("this is a list; use : to look for a value in it")
		}
		same := wildcard(fold(value.text))
		return func(item *T) bool { return holds(item, same) }, nil
	}}
}

// Bool is a field that is true or false.
func Bool[T any](get func(*T) bool) Field[T] {
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		want, err := strconv.ParseBool(value.text)
		if err != nil || (operator != "=" && operator != "!=") {
			return nil, errors.New("use = or != and true or false")
		}
		return func(item *T) bool { return (get(item) == want) == (operator == "=") }, nil
	}}
}

// Number is a field that is a whole number.
func Number[T any](get func(*T) int) Field[T] {
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		want, err := strconv.Atoi(value.text)
		if err != nil {
			return nil, errors.New("a whole number is needed")
		}
		is := ordering(operator)
		return func(item *T) bool { return is(cmp.Compare(get(item), want)) }, nil
	}}
}

// Time is a field that is a time, compared with a time in the format of RFC 3339.
func Time[T any](get func(*T) time.Time) Field[T] {
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		want, err := time.Parse(time.RFC3339, value.text)
		if err != nil {
			return nil, errors.New("a time such as \"2026-01-16T12:00:00Z\" is needed")
		}
		is := ordering(operator)
		return func(item *T) bool { return is(get(item).Compare(want)) }, nil
	}}
}

// Ordered is a field whose values have an order. parse reads the value of the filter and returns a function that compares an item with it; order is negative,
// zero or positive. An item for which ok is false passes no comparison. A value with a * at either end is compared as text with what get returns.
func Ordered[T any](get func(*T) string, parse func(value string) (compare func(*T) (order int, ok bool), err error)) Field[T] {
	return Field[T]{compare: func(operator string, value token) (condition[T], error) {
		if wild(value.text) {
			return Text(get).compare(operator, value)
		}
		compare, err := parse(value.text)
		if err != nil {
			return nil, err
		}
		is := ordering(operator)
		return func(item *T) bool {
			order, ok := compare(item)
			return ok && is(order)
		}, nil
	}}
}

// ordering returns which results of a comparison satisfy the operator; has is the same as equal.
func ordering(operator string) func(int) bool {
	switch operator {
	case "<":
		return func(c int) bool { return c < 0 }
	case "<=":
		return func(c int) bool { return c <= 0 }
	case ">":
		return func(c int) bool { return c > 0 }
	case ">=":
		return func(c int) bool { return c >= 0 }
	case "!=":
		return func(c int) bool { return c != 0 }
	default:
		return func(c int) bool { return c == 0 }
	}
}
