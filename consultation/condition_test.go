package consultation_test

import (
	"math"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
)

func TestConditionHolds(t *testing.T) {
	t.Parallel()
	condition := func(operator string, value any) *consultation.Condition {
		return &consultation.Condition{Attribute: "a", Operator: operator, Value: value}
	}
	has := func(v any) consultation.Attributes { return consultation.Attributes{"a": v} }
	none := consultation.Attributes{"b": true}
	const unclear = "cannot be evaluated and counts as true"
	tests := map[string]struct {
		condition  *consultation.Condition
		attributes consultation.Attributes
		holds      bool
		why        string
	}{
		"no condition always holds":                  {nil, none, true, "no condition"},
		"equal truth values hold":                    {condition("equals", true), has(true), true, `"a" equals true holds`},
		"other truth values do not":                  {condition("equals", true), has(false), false, "does not hold"},
		"the text true equals true":                  {condition("equals", true), has("true"), true, "holds"},
		"true equals the text true":                  {condition("equals", "true"), has(true), true, "holds"},
		"the text false does not equal true":         {condition("equals", true), has("false"), false, "does not hold"},
		"a text that is no truth value is unclear":   {condition("equals", true), has("yes"), true, unclear},
		"equal numbers hold":                         {condition("equals", 5.0), has(5.0), true, "holds"},
		"a number equals its text":                   {condition("equals", 5.0), has("5"), true, "holds"},
		"a number equals another text of it":         {condition("equals", "5.0"), has(5.0), true, "holds"},
		"a text that is no number is unclear":        {condition("equals", 5.0), has("five"), true, unclear},
		"a number and a truth value do not compare":  {condition("equals", true), has(1.0), true, unclear},
		"equal strings hold":                         {condition("equals", "x"), has("x"), true, "holds"},
		"strings differ by case":                     {condition("equals", "x"), has("X"), false, "does not hold"},
		"equal lists hold":                           {condition("equals", []any{"x", 1.0}), has([]any{"x", 1.0}), true, "holds"},
		"a list and a string do not compare":         {condition("equals", "x"), has([]any{"x"}), true, unclear},
		"null equals null":                           {condition("equals", nil), has(nil), true, "holds"},
		"null and a string do not compare":           {condition("equals", "x"), has(nil), true, unclear},
		"an absent attribute equals nothing":         {condition("equals", true), none, false, `no attribute "a"`},
		"a condition without a value is unclear":     {condition("equals", nil), has("x"), true, unclear},
		"a string contains its part":                 {condition("contains", "card"), has("credit card"), true, "holds"},
		"a string does not contain another":          {condition("contains", "cash"), has("credit card"), false, "does not hold"},
		"a string contains the text of a number":     {condition("contains", 7.0), has("room 7"), true, "holds"},
		"a string contains a number in all digits":   {condition("contains", 12345678.0), has("account 12345678"), true, "holds"},
		"a list contains its element":                {condition("contains", "pii"), has([]any{"x", "pii"}), true, "holds"},
		"a list contains the text of its element":    {condition("contains", "5"), has([]any{5.0}), true, "holds"},
		"a list contains its truth value":            {condition("contains", true), has([]any{false, true}), true, "holds"},
		"a list does not contain another":            {condition("contains", true), has([]any{false}), false, "does not hold"},
		"an element of another type is another":      {condition("contains", true), has([]any{"yes", 1.0}), false, "does not hold"},
		"a list does not contain a part of a string": {condition("contains", "pi"), has([]any{"pii"}), false, "does not hold"},
		"an empty list contains nothing":             {condition("contains", "x"), has([]any{}), false, "does not hold"},
		"an absent attribute contains nothing":       {condition("contains", "x"), none, false, "no attribute"},
		"a number contains nothing that is clear":    {condition("contains", "x"), has(5.0), true, unclear},
		"one of several is unclear":                  {condition("contains", []any{"pii", "phi"}), has([]any{"pii"}), true, unclear},
		"a string and a list are unclear":            {condition("contains", []any{}), has("x"), true, unclear},
		"a greater number holds":                     {condition("greater_than", 5.0), has(6.0), true, "holds"},
		"an equal number is not greater":             {condition("greater_than", 5.0), has(5.0), false, "does not hold"},
		"a greater number as a text holds":           {condition("greater_than", 5.0), has("10"), true, "holds"},
		"a word is not comparable with a number":     {condition("greater_than", 5.0), has("many"), true, unclear},
		"a text that is not a number is unclear":     {condition("greater_than", 5.0), has("NaN"), true, unclear},
		"a text that is infinite is unclear":         {condition("greater_than", 5.0), has("-Inf"), true, unclear},
		"a number that is none is unclear":           {condition("greater_than", 5.0), has(math.NaN()), true, unclear},
		"a truth value is not comparable":            {condition("greater_than", 5.0), has(true), true, unclear},
		"a list is not comparable with a number":     {condition("greater_than", 5.0), has([]any{6.0}), true, unclear},
		"a truth value is no limit":                  {condition("greater_than", true), has(6.0), true, unclear},
		"an absent attribute is not greater":         {condition("greater_than", 5.0), none, false, "no attribute"},
		"a present attribute exists":                 {condition("exists", nil), has(false), true, `"a" exists holds`},
		"a null attribute exists":                    {condition("exists", nil), has(nil), true, "holds"},
		"an absent attribute does not exist":         {condition("exists", nil), none, false, "no attribute"},
		"no attributes at all":                       {condition("exists", nil), nil, false, "no attribute"},
		"an unknown operator is unclear":             {condition("matches", "x"), has("y"), true, unclear},
		"an unknown operator on numbers is unclear":  {condition("less_than", 5.0), has(1.0), true, unclear},
		"a kind that is not JSON is unclear":         {condition("equals", 5.0), has(5), true, unclear},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds, why := test.condition.Holds(test.attributes)
			if holds != test.holds || !strings.Contains(why, test.why) {
				t.Errorf("Holds(%v) = %v, %q, want %v and a sentence with %q", test.attributes, holds, why, test.holds, test.why)
			}
		})
	}
}

func TestConditionKeepsLongValuesOutOfItsSentence(t *testing.T) {
	t.Parallel()
	c := &consultation.Condition{Attribute: "a", Operator: "equals", Value: strings.Repeat("é", 5000)}
	if _, why := c.Holds(consultation.Attributes{"a": strings.Repeat("x", 5000)}); len(why) > 500 {
		t.Errorf("Holds() says %d bytes, want at most 500", len(why))
	}
}
