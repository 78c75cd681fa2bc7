package agentcard

import (
	"fmt"
	"regexp"

	"github.com/quorate/quorate/registry/schema"
)

// maxPatternSteps bounds the pattern of a validation rule, in steps as schema.PatternSteps counts them.
const maxPatternSteps = 2_000

// checkRegexp returns an error unless text is a regular expression (RE2) of at most maxPatternSteps steps.
func checkRegexp(text string) error {
	if n := schema.PatternSteps(text); n > maxPatternSteps {
		return fmt.Errorf("the pattern has %d steps, of which each repetition counts; the most is %d: repeat less often", n, maxPatternSteps)
	}
	if _, err := regexp.Compile(text); err != nil {
		return fmt.Errorf("the pattern does not compile: %w", err)
	}
	return nil
}
