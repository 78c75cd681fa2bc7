package router

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/schema"
)

// maxMatch bounds the steps of a pattern times the bytes of a value: matching takes up to 50 ns for each, and cannot be interrupted.
const maxMatch = 100_000_000

// satisfiesRule reports whether a value satisfies a rule. The registry accepts only well-formed rules; a malformed one is satisfied by nothing. The value
// must not be tooLongForPattern.
func satisfiesRule(rule registry.ValidationRule, value string) bool {
	switch rule.Type {
	case "format":
		name, _ := rule.Value.(string)
		check := registry.Format(name)
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

// tooLongForPattern reports whether matching a value with the rule's pattern would take too long.
func tooLongForPattern(rule registry.ValidationRule, value string) bool {
	text, _ := rule.Value.(string)
	return rule.Type == "pattern" && schema.PatternSteps(text)*len(value) > maxMatch
}
