package jsonpath

import (
	"regexp"
	"strconv"
)

func (p *parser) or() logical {
	p.enter()
	all := orExpr{p.and()}
	for p.operator("||") {
		all = append(all, p.and())
	}
	p.levels--
	if len(all) == 1 {
		return all[0]
	}
	return all
}

func (p *parser) and() logical {
	all := andExpr{p.basic()}
	for p.operator("&&") {
		all = append(all, p.basic())
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// operator takes s with the space around it, or nothing.
func (p *parser) operator(s string) bool {
	before := p.at
	p.space()
	if !p.take(s) {
		p.at = before
		return false
	}
	p.space()
	return true
}

// basic reads a comparison, a test, or either of them negated or in parentheses.
func (p *parser) basic() logical {
	negated := p.take("!")
	if negated {
		p.space()
	}
	var x logical
	if p.take("(") {
		p.space()
		x = p.or()
		p.space()
		p.expect(")")
	} else {
		x = p.test(negated)
	}
	if negated {
		return notExpr{of: x}
	}
	return x
}

// test reads a comparison, or what can be true on its own; a comparison cannot be negated without parentheses.
func (p *parser) test(negated bool) logical {
	left := p.operand()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if negated || !p.operator(operator) {
			continue
		}
		right := p.operand()
		p.comparable(left)
		p.comparable(right)
		return compareExpr{left: left, right: right, operator: operator}
	}
	switch x := left.(type) {
	case queryExpr:
		return existsExpr{query: x}
	case call:
		if signatures[x.name].result == logicalType {
			return x
		}
		p.fail("%s() has to be compared with something", x.name)
	}
	p.fail("a literal has to be compared with something")
	return nil
}

func (p *parser) comparable(x operand) {
	switch x := x.(type) {
	case queryExpr:
		if !singular(x.segments) {
			p.fail("a query that is compared has to select one value at most")
		}
	case call:
		if signatures[x.name].result != valueType {
			p.fail("%s() cannot be compared", x.name)
		}
	}
}

func (p *parser) operand() operand {
	switch c := p.peek(); {
	case c == '@' || c == '$':
		p.at++
		return queryExpr{segments: p.segments(), root: c == '$'}
	case c == '"' || c == '\'':
		return literal{is: p.quoted()}
	case c == '-' || c >= '0' && c <= '9':
		return literal{is: p.number()}
	}
	return p.word()
}

// word reads a function or a literal name.
func (p *parser) word() operand {
	name := wordPattern.FindString(p.text[p.at:])
	p.at += len(name)
	if name != "" && p.take("(") {
		return p.call(name)
	}
	switch name {
	case "true", "false":
		return literal{is: name == "true"}
	case "null":
		return literal{is: nil}
	}
	p.at -= len(name)
	p.fail("unexpected %q", p.rest(10))
	return nil
}

var wordPattern = regexp.MustCompile(`^[a-z][a-z_0-9]*`)

var numberPattern = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`)

func (p *parser) number() float64 {
	text := numberPattern.FindString(p.text[p.at:])
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.fail("unexpected %q, want a number", p.rest(10))
	}
	p.at += len(text)
	return n
}

// call reads the arguments of a function and checks their types.
func (p *parser) call(name string) operand {
	signature, ok := signatures[name]
	if !ok {
		p.fail("there is no function %q", name)
	}
	p.enter()
	c := call{name: name}
	p.space()
	for p.peek() != ')' {
		if len(c.arguments) > 0 {
			p.expect(",")
			p.space()
		}
		c.arguments = append(c.arguments, p.argument())
		p.space()
	}
	p.expect(")")
	p.levels--
	if len(c.arguments) != len(signature.parameters) {
		p.fail("%s() takes %d arguments", name, len(signature.parameters))
	}
	for i, want := range signature.parameters {
		if want == valueType {
			p.comparable(c.arguments[i])
		} else if _, ok := c.arguments[i].(queryExpr); !ok {
			p.fail("%s() takes a query", name)
		}
	}
	if signature.result == logicalType {
		if text, ok := c.arguments[1].(literal); ok {
			if source, ok := text.is.(string); ok {
				c.pattern = compile(name, source)
			}
		}
	}
	return c
}

// argument reads an operand; what is logical instead, such as a comparison, suits no function of the RFC.
func (p *parser) argument() operand {
	x := p.operand()
	before := p.at
	p.space()
	if c := p.peek(); c != ',' && c != ')' {
		p.fail("unexpected %q in an argument", p.rest(10))
	}
	p.at = before
	return x
}
