package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/schema"
)

func TestAValueIsCheckedAgainstASchema(t *testing.T) {
	t.Parallel()
	person := map[string]any{
		"type": "object", "required": []any{"name"},
		"properties": map[string]any{"name": map[string]any{"type": "string", "pattern": "^[A-Z]"}, "age": map[string]any{"$ref": "#/$defs/age"}, "title": map[string]any{"type": "string", "nullable": true}, "tags": map[string]any{"maxItems": 1e300}},
		"$defs":      map[string]any{"age": map[string]any{"type": "integer", "minimum": 0.0}},
	}
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"a valid one":        {map[string]any{"name": "Ada", "age": 36.0}, ""},
		"null if it may be":  {map[string]any{"name": "Ada", "title": nil}, ""},
		"nothing":            {map[string]any{}, "missing property 'name'"},
		"another type":       {"Ada", "got string, want object"},
		"behind a reference": {map[string]any{"name": "Ada", "age": -1.0}, "at '/age': minimum: got -1, want 0"},
		"no limit":           {map[string]any{"name": "Ada", "tags": []any{"a"}}, ""},
		"a pattern":          {map[string]any{"name": "ada"}, "at '/name': 'ada' does not match pattern '^[A-Z]'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := schema.MaxWork
			if got := schema.Invalid(person, test.value, &left); got != test.want || left >= schema.MaxWork || left < 0 {
				t.Errorf("Invalid(%v) = %q with %d of the work left, want %q and some", test.value, got, left, test.want)
			}
		})
	}
}

func TestOfSeveralMistakesTheSameOneIsNamedEachTime(t *testing.T) {
	t.Parallel()
	text := map[string]any{"type": "string"}
	named := map[string]any{"properties": map[string]any{"a": text, "b": text, "c": text}}
	closed, short := map[string]any{"additionalProperties": false}, map[string]any{"propertyNames": map[string]any{"pattern": "^x"}}
	for range 50 {
		for want, of := range map[string]map[string]any{"at '/a': got number, want string": named, "additional properties 'a', 'b', 'c' not allowed": closed, "'a' does not match pattern '^x'": short} {
			left := schema.MaxWork
			if got := schema.Invalid(of, map[string]any{"a": 1.0, "b": 2.0, "c": 3.0}, &left); got != want {
				t.Fatalf("Invalid() = %q, want %q", got, want)
			}
		}
	}
}

// TestAValueThatIsTooMuchWorkIsTakenToBeValid has schemas of some hundred bytes with which checking would take minutes or forever.
func TestAValueThatIsTooMuchWorkIsTakenToBeValid(t *testing.T) {
	t.Parallel()
	doubling := map[string]any{"last": map[string]any{"type": "object"}}
	next := "last"
	for i := range 40 {
		ref := map[string]any{"$ref": "#/$defs/" + next}
		next = fmt.Sprint("d", i)
		doubling[next] = map[string]any{"allOf": []any{ref, ref}}
	}
	text := strings.Repeat("a", 300<<10)
	times := func(n int, said map[string]any) map[string]any {
		return map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "allOf": slices.Repeat([]any{said}, n)}
	}
	list, wide := slices.Repeat([]any{1.0}, 100_000), make(map[string]any)
	var names []any
	for i := range 20_000 {
		names = append(names, fmt.Sprint("p", i))
		wide[fmt.Sprint("p", i)] = 1.0
	}
	for name, test := range map[string]struct {
		of    map[string]any
		value any
	}{
		"references that double":      {map[string]any{"$ref": "#/$defs/" + next, "$defs": doubling}, text},
		"a reference to itself":       {map[string]any{"$ref": "#"}, text},
		"a pattern of many steps":     {map[string]any{"pattern": "^((a{100}){100}|b)$"}, text},
		"a text counted many times":   {times(1000, map[string]any{"maxLength": 1.0}), text},
		"a name of its own for parts": {map[string]any{"allOf": []any{map[string]any{"$id": "https://example.com/a", "type": "object"}}}, text},
		"items that are never taken":  {times(9, map[string]any{"items": false}), list},
		"an object read many times":   {times(1000, map[string]any{"minProperties": 1e9}), wide},
		"names looked up for each":    {map[string]any{"items": map[string]any{"required": names[:2000]}}, slices.Repeat([]any{map[string]any{}}, 5000)},
		"a format read many times":    {times(1000, map[string]any{"format": "uri"}), text + "\n"},
		"a text that is a pattern":    {times(2, map[string]any{"format": "regex"}), text + "("},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := schema.MaxWork
			if got := schema.Invalid(test.of, test.value, &left); got != "" {
				t.Errorf("Invalid() = %q, want nothing, since it is too much work to tell", got)
			}
		})
	}
}
