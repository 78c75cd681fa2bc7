package consultation

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Operators of a condition.
const (
	OperatorEquals      = "equals"
	OperatorContains    = "contains"
	OperatorGreaterThan = "greater_than"
	OperatorExists      = "exists"
)

// Condition compares a task attribute with a value.
type Condition struct {
	Attribute string
	Operator  string
	Value     any // a JSON value; ignored by exists
}

// answer is the result of a comparison. It is unclear for an attribute that cannot be compared, which might be anything.
type answer int

const (
	no answer = iota
	yes
	unclear
)

// Holds reports whether the condition holds for a, and says why.
//
// A comparison that cannot be evaluated counts as true, because the opposite would let a task pass unchecked; why says so. If the attribute is
// absent, every operator is false. A string is compared with a number or a boolean by its text, so that "true" equals true: attributes from a command
// line are strings. A nil condition always holds.
func (c *Condition) Holds(a Attributes) (holds bool, why string) {
	if c == nil {
		return true, "it has no condition"
	}
	got, present := a[c.Attribute]
	if !present {
		return false, fmt.Sprintf("the task has no attribute %q", c.Attribute)
	}
	switch c.compare(got) {
	case yes:
		return true, c.says(got, "holds")
	case no:
		return false, c.says(got, "does not hold")
	default:
		return true, c.says(got, "cannot be evaluated and counts as true")
	}
}

func (c *Condition) compare(got any) answer {
	switch c.Operator {
	case OperatorExists:
		return yes
	case OperatorEquals:
		return equals(got, c.Value)
	case OperatorContains:
		return contains(got, c.Value)
	case OperatorGreaterThan:
		x, okX := number(got)
		y, okY := number(c.Value)
		if !okX || !okY {
			return unclear
		}
		return answered(x > y)
	}
	return unclear
}

func (c *Condition) says(got any, result string) string {
	condition := fmt.Sprintf("%q %s", c.Attribute, c.Operator)
	if c.Operator != OperatorExists {
		condition += " " + show(c.Value)
	}
	return fmt.Sprintf("the condition %s %s (%q is %s)", condition, result, c.Attribute, show(got))
}

func equals(x, y any) answer {
	textX, isTextX := x.(string)
	textY, isTextY := y.(string)
	switch {
	case isTextX == isTextY:
		if reflect.TypeOf(x) != reflect.TypeOf(y) {
			return unclear
		}
		return answered(reflect.DeepEqual(x, y))
	case isTextX:
		return equalsText(y, textX)
	default:
		return equalsText(x, textY)
	}
}

// equalsText compares v with a text that should represent the same type. If it does not, the answer is unclear.
func equalsText(v any, text string) answer {
	switch v := v.(type) {
	case bool:
		if text != "true" && text != "false" {
			return unclear
		}
		return answered(strconv.FormatBool(v) == text)
	case float64:
		n, ok := number(text)
		if !ok {
			return unclear
		}
		return answered(n == v)
	}
	return unclear
}

func contains(whole, part any) answer {
	text, ok := scalarText(part)
	if !ok { // no element of an attribute is a list or an object: whoever wrote one here meant something else
		return unclear
	}
	switch whole := whole.(type) {
	case string:
		return answered(strings.Contains(whole, text))
	case []any:
		for _, element := range whole {
			if equals(element, part) == yes { // an element of another type is not equal
				return yes
			}
		}
		return no
	}
	return unclear
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v)
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

func answered(holds bool) answer {
	if holds {
		return yes
	}
	return no
}

// show formats v for a sentence, at limited length.
func show(v any) string {
	const longest = 100
	switch v.(type) {
	case nil:
		return "no value"
	case string, float64, bool:
		text := fmt.Sprintf("%v", v)
		if s, isString := v.(string); isString {
			text = strconv.Quote(clip(s, longest))
		}
		return text
	case []any:
		return "a list"
	}
	return "an object"
}

// clip returns at most limit bytes of s, cut between characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	return strings.ToValidUTF8(s[:limit-len(mark)], "") + mark
}
