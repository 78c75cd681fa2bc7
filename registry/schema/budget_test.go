package schema_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quorate/quorate/registry/schema"
)

// doubled returns a schema of 22 levels, each of which names the one below twice: to follow each reference takes four million steps.
func doubled(keyword string) map[string]any {
	levels := map[string]any{"l0": map[string]any{"type": "string"}}
	for i := 1; i <= 22; i++ {
		below := map[string]any{"$ref": "#/$defs/l" + strconv.Itoa(i-1)}
		levels["l"+strconv.Itoa(i)] = map[string]any{keyword: []any{below, below}}
	}
	return map[string]any{"$ref": "#/$defs/l22", "$defs": levels}
}

func numbers(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = float64(i)
	}
	return list
}

// TestSchemasThatTakeTooMuchAreNotCompared has small schemas of which the comparison would take minutes or more: any agent may register one.
func TestSchemasThatTakeTooMuchAreNotCompared(t *testing.T) {
	t.Parallel()
	text, itself := map[string]any{"type": "string"}, map[string]any{"$ref": "#"}
	many := make([]any, 800)
	for i := range many {
		many[i] = map[string]any{"$ref": "#/$defs/a"}
	}
	properties := make(map[string]any)
	for i := range 1500 {
		properties["p"+strconv.Itoa(i)] = true
	}
	// Each of these gives the only part of its value to a schema that doubles.
	inside := func(keyword string, said any) map[string]any {
		return map[string]any{keyword: said, "$defs": doubled("allOf")["$defs"]}
	}
	doubles := map[string]any{"$ref": "#/$defs/l22"}
	object, list := map[string]any{"enum": []any{map[string]any{"a": "b"}}}, map[string]any{"enum": []any{[]any{"a"}}}
	both := func(a, b map[string]any) map[string]any { return map[string]any{"allOf": []any{a, b}} }
	lists, conditions := make([]any, 22), make([]any, 800)
	for i := range lists {
		lists[i] = map[string]any{"anyOf": []any{map[string]any{"minLength": float64(i)}, map[string]any{"maxLength": float64(i)}}}
	}
	for i := range conditions {
		conditions[i] = map[string]any{"required": []any{"a"}}
	}
	for name, test := range map[string]struct{ output, input map[string]any }{
		"all of many lists of alternatives":  {map[string]any{"type": "string", "allOf": lists}, text},
		"many properties for a condition":    {map[string]any{"type": "object", "then": map[string]any{"allOf": conditions}}, map[string]any{"properties": properties}},
		"an output that doubles":             {doubled("allOf"), text},
		"an output of itself twice":          {both(itself, itself), text},
		"a value for an input that doubles":  {map[string]any{"enum": []any{"a"}}, doubled("allOf")},
		"a property for one that doubles":    {object, inside("properties", map[string]any{"a": doubles})},
		"a property for a pattern's":         {object, inside("patternProperties", map[string]any{"a": doubles})},
		"a property's name":                  {object, inside("propertyNames", doubles)},
		"an object that depends":             {object, inside("dependentSchemas", map[string]any{"a": doubles})},
		"an item for one that doubles":       {list, inside("items", doubles)},
		"a value for a condition":            {list, inside("if", doubles)},
		"a value for who refers to it":       {list, map[string]any{"$dynamicRef": "#"}},
		"a value for one of many the same":   {map[string]any{"enum": []any{1.0}}, doubled("anyOf")},
		"a value for an input that forks":    {map[string]any{"enum": []any{"a"}}, doubled("oneOf")},
		"many values for many":               {map[string]any{"enum": numbers(7000)}, map[string]any{"enum": numbers(7001)}},
		"an anchor far away that many want":  {map[string]any{"allOf": slices.Repeat([]any{map[string]any{"$ref": "#s"}}, 400), "$defs": map[string]any{"s": map[string]any{"$anchor": "s"}}, "examples": numbers(2000)}, text},
		"many values of two lists":           {both(map[string]any{"enum": numbers(3000)}, map[string]any{"enum": numbers(3000)}), text},
		"many properties from many places":   {map[string]any{"allOf": many, "$defs": map[string]any{"a": map[string]any{"properties": properties}}}, text},
		"many values from many places":       {map[string]any{"allOf": many, "$defs": map[string]any{"a": map[string]any{"enum": numbers(2000)}}}, text},
		"a value for parts with a name each": {map[string]any{"enum": []any{"a"}}, map[string]any{"allOf": []any{map[string]any{"$id": "x:a", "type": "string"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if ok, why := schema.Within(test.output, test.input); ok || !strings.Contains(why, "too complex") {
				t.Errorf("Within() = %t, %q, want that they are too complex", ok, why)
			}
		})
	}
}

func TestLargeSchemasAreCompared(t *testing.T) {
	t.Parallel()
	tree := map[string]any{"type": "object", "properties": map[string]any{
		"left": map[string]any{"$ref": "#"}, "right": map[string]any{"$ref": "#"}, "key": map[string]any{"type": "string", "pattern": "^k"}, "id": true,
	}}
	leaf := map[string]any{"key": "k"}
	node := map[string]any{"key": "k", "left": leaf, "right": map[string]any{"left": leaf, "right": leaf}}
	for name, test := range map[string]struct{ output, input map[string]any }{
		"a thousand values": {map[string]any{"enum": numbers(1000)}, map[string]any{"enum": numbers(1001)}},
		"trees as values":   {map[string]any{"enum": []any{leaf, node}}, tree},
		"alternatives":      {doubled("anyOf")["$defs"].(map[string]any)["l0"].(map[string]any), doubled("anyOf")},
	} {
		if ok, why := schema.Within(test.output, test.input); !ok {
			t.Errorf("Within() of %s = %q, want true", name, why)
		}
	}
}
