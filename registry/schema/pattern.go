package schema

import "regexp/syntax"

// PatternSteps returns the number of steps of a regular expression (RE2), where repetitions are counted out: a{1000} has 1,000 steps. Compiling takes
// time and memory in proportion to the steps, and matching takes time in proportion to steps and characters. It is 0 for an invalid expression.
func PatternSteps(text string) int {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0
	}
	return stepsOf(parsed)
}

func stepsOf(part *syntax.Regexp) int {
	n := 0
	for _, sub := range part.Sub {
		n += stepsOf(sub)
	}
	if part.Op == syntax.OpRepeat {
		return n * max(part.Min, part.Max, 1)
	}
	if part.Op == syntax.OpLiteral {
		return len(part.Rune)
	}
	return n + 1
}

// steps returns the total number of steps of the patterns in a JSON Schema.
func steps(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v["pattern"].(string); ok {
			n += PatternSteps(text)
		}
		for text := range parts(v["patternProperties"]) {
			n += PatternSteps(text)
		}
		for _, part := range v {
			n += steps(part)
		}
	case []any:
		for _, part := range v {
			n += steps(part)
		}
	}
	return n
}
