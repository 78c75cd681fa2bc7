package router

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/schema"
)

// maxMatch bounds the work of matching the inputs of a task with all patterns of their agent: agents and callers choose both, each unit takes up to 50 ns, and
// matching cannot be interrupted.
const maxMatch = 100_000_000

// satisfiesRule reports whether a value satisfies a rule. The registry accepts only well-formed rules; a malformed one is satisfied by nothing. It takes
// matchWork.
func satisfiesRule(rule agentcard.ValidationRule, value string) bool {
	switch rule.Type {
	case "format":
		name, _ := rule.Value.(string)
		check := agentcard.Format(name)
		return check == nil || check(value)
	case "length":
		most, ok := rule.Value.(float64)
		return ok && float64(utf8.RuneCountInString(value)) <= most
	case "pattern":
		text, ok := rule.Value.(string)
		if !ok {
			return false
		}
		pattern, err := regexp.Compile(text)
		return err == nil && pattern.MatchString(value)
	case "enum":
		list, ok := rule.Value.([]any)
		return ok && slices.Contains(list, any(value))
	default:
		return false
	}
}

// matchWork returns the work of matching a value with a rule's pattern, in steps of the pattern times bytes of the value. It is 0 for other rules.
func matchWork(rule agentcard.ValidationRule, value string) int {
	if rule.Type != "pattern" {
		return 0
	}
	text, _ := rule.Value.(string)
	return schema.PatternSteps(text) * len(value)
}
