package router

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/quorate/quorate/registry"
)

// maxMatch bounds the steps of a pattern times the bytes of a value: a match takes up to 50 ns for each, and nothing can stop it.
const maxMatch = 100_000_000

// holds reports whether a value keeps a rule. The registry lets only rules in whose values have the right form; any other holds for nothing. A value
// must not be tooLong.
func holds(rule registry.ValidationRule, value string) bool {
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

// tooLong reports whether a value would take too long to match with the rule's pattern.
func tooLong(rule registry.ValidationRule, value string) bool {
	text, _ := rule.Value.(string)
	return rule.Type == "pattern" && registry.PatternSteps(text)*len(value) > maxMatch
}
