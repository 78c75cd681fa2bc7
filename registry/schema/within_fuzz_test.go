package schema_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/quorate/quorate/registry/schema"
)

// FuzzWithin makes an output and inputs that are much like it. Where Within says that the output fits, it looks for a value of the output that the input
// does not take, as a validator says.
func FuzzWithin(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	all := values()
	f.Fuzz(func(t *testing.T, seed uint64) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 0)), output: true}
		output := m.document()
		m.output = false
		made := validator(output)
		for range 8 {
			input := m.changed(output)
			if within, _ := schema.Within(output, input); !within || made == nil {
				continue
			}
			taken := validator(input)
			if bad := slices.IndexFunc(all, func(v any) bool { return taken != nil && made.Validate(v) == nil && taken.Validate(v) != nil }); bad >= 0 {
				t.Errorf("Within(%s, %s) = true, and the input does not take %s", asJSON(output), asJSON(input), asJSON(all[bad]))
			}
		}
	})
}

func validator(of map[string]any) *jsonschema.Schema {
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema:///", of); err != nil {
		return nil
	}
	compiled, err := compiler.Compile("schema:///")
	if err != nil { // it refers to itself only, say
		return nil
	}
	return compiled
}

func asJSON(v any) []byte {
	text, _ := json.Marshal(v) // it came from JSON
	return text
}

// values returns values of all types, most of them small lists and objects.
func values() []any {
	all := []any{nil, true, false, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, "", "a", "ab", "abc", []any{}, map[string]any{}}
	for _, first := range slices.Clone(all) {
		all = append(all, []any{first}, map[string]any{"a": first}, map[string]any{"b": first})
		for _, second := range []any{nil, 1.0, 1.5, "a", []any{1.0}, map[string]any{"a": "a"}} {
			all = append(all, []any{first, second}, []any{second, first, 1.0}, map[string]any{"a": first, "b": second}, map[string]any{"a": map[string]any{"b": first}, "c": second})
		}
	}
	return all
}

// maker makes schemas.
type maker struct {
	*rand.Rand
	output bool
}

func one[T any](m *maker, of ...T) T { return of[m.IntN(len(of))] }

func (m *maker) document() map[string]any {
	made := m.object(1)
	made["$defs"] = map[string]any{"0": m.schema(1), "1": m.object(1), "any": map[string]any{"additionalProperties": ref("any"), "items": ref("any")}}
	return made
}

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

// schema makes a schema with schemas in it, at most as many levels as depth says.
func (m *maker) schema(depth int) any {
	switch m.IntN(12) {
	case 0:
		return false
	case 1:
		return m.anything()
	default:
		return m.object(depth)
	}
}

// anything takes all values. That of an output says so of all properties at any depth, since those that it does not declare would count as absent.
func (m *maker) anything() any {
	if m.output {
		return ref("any")
	}
	return true
}

func (m *maker) object(depth int) map[string]any {
	made := map[string]any{"additionalProperties": m.anything(), "items": m.anything()}
	if m.IntN(3) > 0 {
		made["type"] = one[any](m, "string", "number", "integer", "boolean", "null", "array", "object", "object", []any{"string", "null"}, []any{"array", "object"})
	}
	for range m.IntN(5) {
		maps.Copy(made, m.keyword(depth-1))
	}
	return made
}

// keyword returns a keyword, or some that belong together.
func (m *maker) keyword(depth int) map[string]any {
	count := one(m, 0.0, 1, 2, 3)
	name := one(m, "a", "b")
	if depth >= 0 {
		some := []any{m.schema(depth), m.schema(depth)}[:1+m.IntN(2)]
		switch m.IntN(16) {
		case 0, 1:
			return map[string]any{one(m, "allOf", "anyOf", "oneOf", "prefixItems"): some}
		case 2, 3:
			return map[string]any{"properties": map[string]any{"a": m.schema(depth), "b": m.schema(depth)}}
		case 4, 5:
			return map[string]any{one(m, "items", "additionalProperties", "not", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"): some[0]}
		case 6:
			return map[string]any{"if": some[0], one(m, "then", "else"): m.schema(depth)}
		case 7:
			return map[string]any{one(m, "patternProperties", "dependentSchemas"): map[string]any{name: some[0]}}
		}
	}
	switch m.IntN(8) {
	case 0:
		return map[string]any{"enum": []any{nil, count, "a", []any{count}, map[string]any{"a": count}}[m.IntN(5):]}
	case 1:
		return map[string]any{"const": one[any](m, nil, true, 1.5, "ab", []any{}, map[string]any{})}
	case 2:
		return map[string]any{"required": []any{name}}
	case 3:
		return map[string]any{"dependentRequired": map[string]any{name: []any{"a"}}}
	case 4:
		return map[string]any{one(m, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"): one(m, 0, count, 1.5), "multipleOf": one(m, 0.5, 1, 2)}
	case 5:
		return map[string]any{"uniqueItems": true, "pattern": one(m, "^a", "b")}
	case 6:
		return map[string]any{"$ref": "#/$defs/" + one(m, "0", "1", "any")}
	default:
		return map[string]any{one(m, "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"): count}
	}
}

// changed returns a copy of a schema in which a keyword at one place is another one, or missing.
func (m *maker) changed(of map[string]any) map[string]any {
	made := maps.Clone(of)
	keyword := one(m, slices.Sorted(maps.Keys(of))...)
	if inner, ok := of[keyword].(map[string]any); ok && len(inner) > 0 && m.IntN(3) > 0 {
		made[keyword] = m.changed(inner)
		return made
	}
	if delete(made, keyword); m.IntN(2) == 0 {
		maps.Copy(made, m.keyword(1))
	}
	return made
}
