package registry

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Limits of regular expressions, in steps; repetitions are counted out: a{1000} has 1,000 steps. Compiling takes time and memory in proportion to the
// steps, matching takes time in proportion to steps and characters.
const (
	maxPatternSteps = 2_000  // of a validation rule
	maxSchemaSteps  = 10_000 // of all patterns of a JSON Schema
)

// checkRegexp returns an error unless text is a regular expression (RE2) of at most maxPatternSteps steps.
func checkRegexp(text string) error {
	if n := PatternSteps(text); n > maxPatternSteps {
		return fmt.Errorf("the pattern has %d steps, of which each repetition counts; the most is %d: repeat less often", n, maxPatternSteps)
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("the pattern does not compile: %w", err)
	}
	return nil
}

// PatternSteps returns the number of steps of a regular expression, which is about the work for each character of a text. It is 0 for an invalid
// expression.
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

// schemaSteps returns the total number of steps of the patterns in a JSON Schema.
func schemaSteps(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v["pattern"].(string); ok {
			n += PatternSteps(text)
		}
		for text := range parts(v["patternProperties"]) {
			n += PatternSteps(text)
		}
		for _, part := range v {
			n += schemaSteps(part)
		}
	case []any:
		for _, part := range v {
			n += schemaSteps(part)
		}
	}
	return n
}
