package registry

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
)

// filterField makes the condition of one comparison of a field.
type filterField func(operator string, value filterToken) (condition, error)

// filterFields are the fields that a filter can compare.
var filterFields = map[string]filterField{
	"name":               textField(func(a *Agent) string { return a.Name }),
	"description":        textField(func(a *Agent) string { return a.Card.Description }),
	"card_uri":           textField(func(a *Agent) string { return a.CardURI }),
	"version":            versionField,
	"status":             wordField([]string{StatusAvailable, StatusBusy, StatusUnavailable, StatusError, StatusUnknown}, func(a *Agent) string { return a.Status.Status }),
	"streaming":          boolField(func(a *Agent) bool { return a.Card.Streaming }),
	"push_notifications": boolField(func(a *Agent) bool { return a.Card.PushNotifications }),
	"draining":           boolField(func(a *Agent) bool { return a.Status.Draining }),
	"capacity":           numberField(func(a *Agent) int { return a.Status.Capacity }),
	"in_flight":          numberField(func(a *Agent) int { return a.Status.InFlight }),
	"create_time":        timeField(func(a *Agent) time.Time { return a.CreateTime }),
	"update_time":        timeField(func(a *Agent) time.Time { return a.UpdateTime }),
	"skills":             listField(skillIDs),
	"tags":               listField(tags),
	"input_types":        listField(inputTypes),
	"output_types":       listField(outputTypes),
}

func filterFieldNames() []string { return slices.Sorted(maps.Keys(filterFields)) }

func skillIDs(a *Agent, each func(string) bool) {
	for i := range a.Card.Skills {
		if !each(a.Card.Skills[i].ID) {
			return
		}
	}
}

func tags(a *Agent, each func(string) bool) {
	for i := range a.Card.Skills {
		for _, tag := range a.Card.Skills[i].Tags {
			if !each(tag) {
				return
			}
		}
	}
}

func inputTypes(a *Agent, each func(string) bool) {
	for i := range a.Metadata.InputSchemas {
		if !each(a.Metadata.InputSchemas[i].SemanticType) {
			return
		}
	}
}

func outputTypes(a *Agent, each func(string) bool) {
	for i := range a.Metadata.OutputSchemas {
		if !each(a.Metadata.OutputSchemas[i].SemanticType) {
			return
		}
	}
}

// wildcard returns a function that compares a text with a value that may have a star at either end.
func wildcard(value string) func(string) bool {
	inner, front := strings.CutPrefix(value, "*")
	inner, back := strings.CutSuffix(inner, "*")
	switch {
	case value == "*":
		return func(text string) bool { return text != "" }
	case front && back:
		return func(text string) bool { return strings.Contains(text, inner) }
	case front:
		return func(text string) bool { return strings.HasSuffix(text, inner) }
	case back:
		return func(text string) bool { return strings.HasPrefix(text, inner) }
	default:
		return func(text string) bool { return text == value }
	}
}

// textField compares texts; the has operator looks for the value anywhere, in upper or lower case.
func textField(get func(*Agent) string) filterField {
	return func(operator string, value filterToken) (condition, error) {
		switch operator {
		case ":":
			part := strings.ToLower(strings.Trim(value.text, "*"))
			return func(a *Agent) bool {
				text := get(a)
				return text != "" && strings.Contains(strings.ToLower(text), part)
			}, nil
		case "=":
			same := wildcard(value.text)
			return func(a *Agent) bool { return same(get(a)) }, nil
		case "!=":
			same := wildcard(value.text)
			return func(a *Agent) bool { return !same(get(a)) }, nil
		}
		is := ordering(operator)
		return func(a *Agent) bool { return is(strings.Compare(get(a), value.text)) }, nil
	}
}

// wordField compares one of a few words.
func wordField(known []string, get func(*Agent) string) filterField {
	return func(operator string, value filterToken) (condition, error) {
		if !slices.Contains(known, value.text) {
			return nil, fmt.Errorf("the values are %s", strings.Join(known, ", "))
		}
		switch operator {
		case "=", ":":
			return func(a *Agent) bool { return get(a) == value.text }, nil
		case "!=":
			return func(a *Agent) bool { return get(a) != value.text }, nil
		}
		return nil, errors.New("the values have no order; use = or !=")
	}
}

// listField looks for a value in a list.
func listField(walk func(a *Agent, each func(string) bool)) filterField {
	return func(operator string, value filterToken) (condition, error) {
		if operator != ":" {
			return nil, errors.New("this is a list; use : to look for a value in it")
		}
		same := wildcard(value.text)
		return func(a *Agent) bool {
			found := false
			walk(a, func(text string) bool {
				found = same(text)
				return !found
			})
			return found
		}, nil
	}
}

// versionField compares as semantic versions, or as texts where there is a star.
func versionField(operator string, value filterToken) (condition, error) {
	get := func(a *Agent) string { return a.Card.Version }
	if value.wild() {
		return textField(get)(operator, value)
	}
	want, err := semver.StrictNewVersion(value.text)
	if err != nil {
		return nil, errors.New("a semantic version such as 1.2.0 is needed")
	}
	is := ordering(operator)
	return func(a *Agent) bool {
		got, err := semver.StrictNewVersion(a.Card.Version)
		return err == nil && is(got.Compare(want))
	}, nil
}

func boolField(get func(*Agent) bool) filterField {
	return func(operator string, value filterToken) (condition, error) {
		want, err := strconv.ParseBool(value.text)
		if err != nil || (operator != "=" && operator != "!=") {
			return nil, errors.New("use = or != and true or false")
		}
		return func(a *Agent) bool { return (get(a) == want) == (operator == "=") }, nil
	}
}

func numberField(get func(*Agent) int) filterField {
	return func(operator string, value filterToken) (condition, error) {
		want, err := strconv.Atoi(value.text)
		if err != nil {
			return nil, errors.New("a whole number is needed")
		}
		is := ordering(operator)
		return func(a *Agent) bool { return is(cmp.Compare(get(a), want)) }, nil
	}
}

func timeField(get func(*Agent) time.Time) filterField {
	return func(operator string, value filterToken) (condition, error) {
		want, err := time.Parse(time.RFC3339, value.text)
		if err != nil {
			return nil, errors.New("a time such as \"2026-01-16T12:00:00Z\" is needed")
		}
		is := ordering(operator)
		return func(a *Agent) bool { return is(get(a).Compare(want)) }, nil
	}
}

// ordering returns what a comparison's result must be; has is the same as equal.
func ordering(operator string) func(int) bool {
	switch operator {
	case "<":
		return func(c int) bool { return c < 0 }
	case "<=":
		return func(c int) bool { return c <= 0 }
	case ">":
		return func(c int) bool { return c > 0 }
	case ">=":
		return func(c int) bool { return c >= 0 }
	case "!=":
		return func(c int) bool { return c != 0 }
	default:
		return func(c int) bool { return c == 0 }
	}
}
