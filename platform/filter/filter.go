// Package filter parses conditions on the items of a list, and tests items against them. The language is a subset of AIP-160: comparisons with AND, OR, NOT or
// a minus sign, and parentheses. As in AIP-160, OR binds more tightly than AND, and AND may be left out. The package knows no particular items: its callers say
// which fields theirs have.
//
// Filters come from outside and are bounded in length, number of comparisons and depth. The package is pure: no I/O, no clock.
package filter

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Limits of a filter.
const (
	maxFilter      = 2048 // bytes
	maxComparisons = 64
	maxFilterDepth = 16
)

// Fields are the fields that a filter can compare, by name.
type Fields[T any] map[string]Field[T]

// Filter is a condition on items. The zero value matches every item.
type Filter[T any] struct {
	match condition[T]
	has   map[string]string
	reads map[string]bool
}

// condition is a part of a filter.
type condition[T any] func(*T) bool

// Parse reads a filter of at most 2,048 bytes, 64 comparisons and 16 levels. An error is an InvalidArgument fault with the
// reason FILTER_INVALID that says what is wrong and where. If a field is unknown, the metadata names it as "field".
func Parse[T any](text string, fields Fields[T]) (Filter[T], error) {
	if len(text) > maxFilter {
		return Filter[T]{}, fault.Invalid("filter", "FILTER_INVALID", "the filter has %d bytes; the most is %d", len(text), maxFilter)
	}
	tokens, err := lex(text)
	if err != nil {
		return Filter[T]{}, err
	}
	p := &parser[T]{tokens: tokens, fields: fields, has: map[string]string{}, reads: map[string]bool{}}
	if p.peek().kind == tokenEnd {
		return Filter[T]{}, nil
	}
	match, err := p.expression(0)
	if err != nil {
		return Filter[T]{}, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return Filter[T]{}, p.wrong(t, "expected the end, AND, OR or a comparison")
	}
	return Filter[T]{match: match, has: p.has, reads: p.reads}, nil
}

// Match reports whether the item satisfies the filter.
func (f Filter[T]) Match(item *T) bool { return f.match == nil || f.match(item) }

// Has returns a value that the field, a list, contains in every item that matches, so that a store can look it up in an index; "" if there is none.
func (f Filter[T]) Has(field string) string { return f.has[field] }

// Reads reports whether the filter compares any of the fields.
func (f Filter[T]) Reads(fields ...string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return f.reads[field] })
}

// parser is a recursive descent through the tokens of a filter.
type parser[T any] struct {
	tokens      []token
	fields      Fields[T]
	next        int
	comparisons int
	has         map[string]string // from comparisons that must be true
	reads       map[string]bool
}

func (p *parser[T]) peek() token { return p.tokens[p.next] }

func (p *parser[T]) take() token {
	t := p.tokens[p.next]
	if t.kind != tokenEnd {
		p.next++
	}
	return t
}

// accept consumes the keyword or sign if it is next.
func (p *parser[T]) accept(text string) bool {
	if t := p.peek(); t.kind == tokenSign && t.text == text {
		p.next++
		return true
	}
	return false
}

func (p *parser[T]) wrong(t token, format string, args ...any) error {
	where := fmt.Sprintf("at %d", t.at+1)
	if t.kind == tokenEnd {
		where = "at the end"
	}
	return fault.Invalid("filter", "FILTER_INVALID", "%s: %s", where, fmt.Sprintf(format, args...))
}

// expression parses one or more factors that must all be true.
func (p *parser[T]) expression(depth int) (condition[T], error) {
	if depth > maxFilterDepth {
		return nil, p.wrong(p.peek(), "more than %d levels of parentheses", maxFilterDepth)
	}
	var all []condition[T]
	for {
		factor, err := p.factor(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, factor)
		if p.accept("AND") {
			continue
		}
		if t := p.peek(); t.kind == tokenEnd || (t.kind == tokenSign && t.text == ")") {
			break
		}
	}
	return func(item *T) bool {
		for _, factor := range all {
			if !factor(item) {
				return false
			}
		}
		return true
	}, nil
}

// factor parses one or more terms of which one must be true.
func (p *parser[T]) factor(depth int) (condition[T], error) {
	before := maps.Clone(p.has)
	first, err := p.term(depth)
	if err != nil {
		return nil, err
	}
	terms := []condition[T]{first}
	for p.accept("OR") {
		term, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		terms = append(terms, term)
	}
	if len(terms) == 1 {
		return first, nil
	}
	p.has = before // these comparisons need not be true
	return func(item *T) bool {
		for _, term := range terms {
			if term(item) {
				return true
			}
		}
		return false
	}, nil
}

// term parses a comparison or an expression in parentheses, either of which may be negated.
func (p *parser[T]) term(depth int) (condition[T], error) {
	if p.accept("NOT") || p.accept("-") {
		before := maps.Clone(p.has)
		inner, err := p.simple(depth)
		p.has = before
		return func(item *T) bool { return !inner(item) }, err
	}
	return p.simple(depth)
}

func (p *parser[T]) simple(depth int) (condition[T], error) {
	if p.accept("(") {
		inner, err := p.expression(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.accept(")") {
			return nil, p.wrong(p.peek(), "expected a closing parenthesis")
		}
		return inner, nil
	}
	return p.comparison()
}

func (p *parser[T]) comparison() (condition[T], error) {
	name := p.take()
	if name.kind != tokenText {
		return nil, p.wrong(name, "expected a field")
	}
	field, ok := p.fields[FieldName(name.text)]
	if !ok {
		err := fault.Invalid("filter", "FILTER_INVALID", "at %d: there is no field %q; the fields are %s",
			name.at+1, fault.Clip(name.text), strings.Join(slices.Sorted(maps.Keys(p.fields)), ", "))
		return nil, err.With("field", fault.Clip(name.text))
	}
	name.text = FieldName(name.text)
	operator := p.take()
	if operator.kind != tokenOperator {
		return nil, p.wrong(operator, "expected =, !=, <, <=, >, >= or : after %s", name.text)
	}
	value := p.take()
	if value.kind != tokenText && value.kind != tokenQuoted {
		return nil, p.wrong(value, "expected a value after %s %s", name.text, operator.text)
	}
	if p.comparisons++; p.comparisons > maxComparisons {
		return nil, p.wrong(name, "more than %d comparisons", maxComparisons)
	}
	match, err := field.compare(operator.text, value)
	if err != nil {
		return nil, p.wrong(value, "%s %s %q: %v", name.text, operator.text, fault.Clip(value.text), err)
	}
	p.reads[name.text] = true
	if field.list && !wild(value.text) {
		p.has[name.text] = value.text
	}
	return match, nil
}

// FieldName returns the name of a field as it is in the proto, such as create_time. In a request over REST it may be the one in JSON, createTime.
func FieldName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
