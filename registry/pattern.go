package registry

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Limits of regular expressions in steps, of which each repetition counts: a{1000} has 1,000. To compile one takes time and memory for each step, and to match
// one takes time for each step and character.
const (
	maxPatternSteps = 2_000  // of a validation rule
	maxSchemaSteps  = 10_000 // of all patterns of a JSON Schema
)

// checkRegexp returns why a text is no regular expression (RE2) of at most maxPatternSteps.
func checkRegexp(text string) error {
	if n := PatternSteps(text); n > maxPatternSteps {
		return fmt.Errorf("the pattern has %d steps, of which each repetition counts; the most is %d: repeat less often", n, maxPatternSteps)
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("the pattern does not compile: %w", err)
	}
	return nil
}

// PatternSteps returns how many steps a regular expression has: about as many as it may take for each character of a text. What is none has none.
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

// schemaSteps returns how many steps the patterns in a JSON Schema have.
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
