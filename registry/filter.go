package registry

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Limits of a filter.
const (
	maxFilter      = 2048 // bytes
	maxComparisons = 64
	maxFilterDepth = 16
)

// Filter is a condition on agents in a subset of AIP-160: comparisons with AND, OR, NOT or a minus sign, and parentheses. As in
// AIP-160, OR binds more tightly than AND, and AND may be left out. The zero value passes everything.
type Filter struct {
	match condition
	skill string
	tag   string
	live  bool // it looks at what heartbeats change
}

// condition is a part of a filter.
type condition func(*Agent) bool

// ParseFilter reads a filter of at most 2,048 bytes, 64 comparisons and 16 levels. An error is an InvalidArgument fault with the
// reason FILTER_INVALID that says what is wrong where; the metadata's field names a field that is not known.
func ParseFilter(text string) (Filter, error) {
	if len(text) > maxFilter {
		return Filter{}, fault.Invalid("filter", "FILTER_INVALID", "the filter has %d bytes; the most is %d", len(text), maxFilter)
	}
	tokens, err := lexFilter(text)
	if err != nil {
		return Filter{}, err
	}
	p := &filterParser{tokens: tokens}
	if p.peek().kind == tokenEnd {
		return Filter{}, nil
	}
	match, err := p.expression(0)
	if err != nil {
		return Filter{}, err
	}
	if t := p.peek(); t.kind != tokenEnd {
		return Filter{}, p.wrong(t, "expected the end, AND, OR or a comparison")
	}
	return Filter{match: match, skill: p.skill, tag: p.tag, live: p.live}, nil
}

// Match reports whether the agent, with its status, passes.
func (f Filter) Match(a *Agent) bool { return f.match == nil || f.match(a) }

// Skill returns the id of a skill that every agent that passes has, or nothing: a store can look those up.
func (f Filter) Skill() string { return f.skill }

// Tag returns a tag that every agent that passes has, or nothing.
func (f Filter) Tag() string { return f.tag }

// filterParser is a recursive descent through the tokens of a filter.
type filterParser struct {
	tokens      []filterToken
	next        int
	comparisons int
	skill, tag  string // of comparisons that have to be true
	live        bool
}

func (p *filterParser) peek() filterToken { return p.tokens[p.next] }

func (p *filterParser) take() filterToken {
	t := p.tokens[p.next]
	if t.kind != tokenEnd {
		p.next++
	}
	return t
}

// accept takes the keyword or sign if it is next.
func (p *filterParser) accept(text string) bool {
	if t := p.peek(); t.kind == tokenSign && t.text == text {
		p.next++
		return true
	}
	return false
}

func (p *filterParser) wrong(t filterToken, format string, args ...any) error {
	where := fmt.Sprintf("at %d", t.at+1)
	if t.kind == tokenEnd {
		where = "at the end"
	}
	return fault.Invalid("filter", "FILTER_INVALID", "%s: %s", where, fmt.Sprintf(format, args...))
}

// expression is one factor or several that must all be true.
func (p *filterParser) expression(depth int) (condition, error) {
	if depth > maxFilterDepth {
		return nil, p.wrong(p.peek(), "more than %d levels of parentheses", maxFilterDepth)
	}
	var all []condition
	for {
		factor, err := p.factor(depth)
		if err != nil {
			return nil, err
		}
		all = append(all, factor)
		if p.accept("AND") {
			continue
		}
		if t := p.peek(); t.kind == tokenEnd || (t.kind == tokenSign && (t.text == ")" || t.text == "OR")) {
			break
		}
	}
	return func(a *Agent) bool {
		for _, factor := range all {
			if !factor(a) {
				return false
			}
		}
		return true
	}, nil
}

// factor is one term or several of which one must be true.
func (p *filterParser) factor(depth int) (condition, error) {
	skill, tag := p.skill, p.tag
	first, err := p.term(depth)
	if err != nil {
		return nil, err
	}
	terms := []condition{first}
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
	p.skill, p.tag = skill, tag // what is only one way to pass
	return func(a *Agent) bool {
		for _, term := range terms {
			if term(a) {
				return true
			}
		}
		return false
	}, nil
}

// term is a comparison or an expression in parentheses, perhaps negated.
func (p *filterParser) term(depth int) (condition, error) {
	if p.accept("NOT") || p.accept("-") {
		skill, tag := p.skill, p.tag
		inner, err := p.simple(depth)
		p.skill, p.tag = skill, tag
		return func(a *Agent) bool { return !inner(a) }, err
	}
	return p.simple(depth)
}

func (p *filterParser) simple(depth int) (condition, error) {
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

func (p *filterParser) comparison() (condition, error) {
	name := p.take()
	if name.kind != tokenText {
		return nil, p.wrong(name, "expected a field")
	}
	field, ok := filterFields[name.text]
	if !ok {
		err := fault.Invalid("filter", "FILTER_INVALID", "at %d: there is no field %q; the fields are %s",
			name.at+1, clip(name.text), strings.Join(filterFieldNames(), ", "))
		return nil, err.With("field", clip(name.text))
	}
	operator := p.take()
	if operator.kind != tokenOperator {
		return nil, p.wrong(operator, "expected =, !=, <, <=, >, >= or : behind %s", name.text)
	}
	value := p.take()
	if value.kind != tokenText && value.kind != tokenQuoted {
		return nil, p.wrong(value, "expected a value behind %s %s", name.text, operator.text)
	}
	if p.comparisons++; p.comparisons > maxComparisons {
		return nil, p.wrong(name, "more than %d comparisons", maxComparisons)
	}
	match, err := field(operator.text, value)
	if err != nil {
		return nil, p.wrong(value, "%s %s %q: %v", name.text, operator.text, clip(value.text), err)
	}
	switch name.text {
	case "skills":
		if !value.wild() {
			p.skill = value.text
		}
	case "tags":
		if !value.wild() {
			p.tag = value.text
		}
	case "status", "draining", "capacity", "in_flight":
		p.live = true
	}
	return match, nil
}
