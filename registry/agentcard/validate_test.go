package agentcard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

func input(rules ...agentcard.ValidationRule) agentcard.Metadata {
	return agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "n", SemanticType: "document", ValidationRules: rules}}}
}

func rule(kind string, value any) agentcard.Metadata {
	return input(agentcard.ValidationRule{Type: kind, Value: value, Message: "m"})
}

// patterned is an output with a property that fits a pattern, and others whose names fit one.
func patterned(value, names string) agentcard.OutputSchema {
	return agentcard.OutputSchema{Name: "n", SemanticType: "comment", JSONSchema: map[string]any{
		"properties": map[string]any{"pattern": map[string]any{"type": "string", "pattern": value}}, "patternProperties": map[string]any{names: true},
	}}
}

func requirement(change func(*agentcard.ConsultationRequirement)) agentcard.Metadata {
	q := agentcard.ConsultationRequirement{ID: "r", TargetAgent: "reviewer", Phase: "on-error"}
	change(&q)
	return agentcard.Metadata{ConsultationRequirements: []agentcard.ConsultationRequirement{q}}
}

func condition(operator string, value any) agentcard.Metadata {
	return requirement(func(q *agentcard.ConsultationRequirement) {
		q.Condition = &agentcard.Condition{Attribute: "a", Operator: operator, Value: value}
	})
}

func TestValidateMetadata(t *testing.T) {
	t.Parallel()
	const consultation, ruleValue = "metadata.consultation_requirements[0]", "metadata.input_schemas[0].validation_rules[0].value"
	schema := agentcard.OutputSchema{Name: "n", SemanticType: "comment"}
	tests := map[string]struct {
		metadata agentcard.Metadata
		field    string // empty: valid
	}{
		"nothing is valid":                        {agentcard.Metadata{}, ""},
		"a format":                                {rule("format", "markdown"), ""},
		"a length":                                {rule("length", 10.0), ""},
		"a pattern":                               {rule("pattern", `^\d+$`), ""},
		"an enum":                                 {rule("enum", []any{"a"}), ""},
		"a condition without a value for exists":  {condition("exists", nil), ""},
		"a condition with a number":               {condition("greater_than", 3.5), ""},
		"a condition with a list for equals":      {condition("equals", []any{"pii"}), ""},
		"a condition with false":                  {condition("equals", false), ""},
		"two inputs of one name":                  {agentcard.Metadata{InputSchemas: slices.Repeat(input().InputSchemas, 2)}, "metadata.input_schemas[1].name"},
		"two outputs of one name":                 {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{schema, schema}}, "metadata.output_schemas[1].name"},
		"two requirements of one id":              {agentcard.Metadata{ConsultationRequirements: slices.Repeat(condition("exists", nil).ConsultationRequirements, 2)}, "metadata.consultation_requirements[1].id"},
		"65 inputs":                               {agentcard.Metadata{InputSchemas: make([]agentcard.InputSchema, 65)}, "metadata.input_schemas"},
		"65 outputs":                              {agentcard.Metadata{OutputSchemas: make([]agentcard.OutputSchema, 65)}, "metadata.output_schemas"},
		"65 requirements":                         {agentcard.Metadata{ConsultationRequirements: make([]agentcard.ConsultationRequirement, 65)}, "metadata.consultation_requirements"},
		"501 skills that are done once":           {agentcard.Metadata{AtMostOnceSkills: slices.Repeat([]string{"s"}, 501)}, "metadata.at_most_once_skills"},
		"a skill without an id that is done once": {agentcard.Metadata{AtMostOnceSkills: []string{"s", ""}}, "metadata.at_most_once_skills[1]"},
		"an input without a name":                 {agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{SemanticType: "comment"}}}, "metadata.input_schemas[0].name"},
		"an output without a name":                {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{SemanticType: "comment"}}}, "metadata.output_schemas[0].name"},
		"an input that looks like another":        {agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "sp\u200bec", SemanticType: "comment"}}}, "metadata.input_schemas[0].name"},
		"an input that moves the cursor":          {agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "\x1b[2Jspec", SemanticType: "comment"}}}, "metadata.input_schemas[0].name"},
		"a line break in an output's name":        {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "spec\n", SemanticType: "comment"}}}, "metadata.output_schemas[0].name"},
		"a description in two lines":              {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "n", SemanticType: "comment", Description: "One.\n\tTwo: \u0646\u200c\u0647."}}}, ""},
		"an input that is described backwards":    {agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "n", SemanticType: "comment", Description: "safe \u202eevil"}}}, "metadata.input_schemas[0].description"},
		"an output with an unseen description":    {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "n", SemanticType: "comment", Description: "ig\u200bnore"}}}, "metadata.output_schemas[0].description"},
		"a message that clears the screen":        {input(agentcard.ValidationRule{Type: "length", Value: 1.0, Message: "\x1b[2J"}), "metadata.input_schemas[0].validation_rules[0].message"},
		"names in words":                          {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "the spec, für später", SemanticType: "comment"}}}, ""},
		"a condition without an attribute": {requirement(func(q *agentcard.ConsultationRequirement) {
			q.Condition = &agentcard.Condition{Operator: "exists"}
		}), consultation + ".condition.attribute"},
		"33 rules":                               {input(slices.Repeat(rule("format", "x").InputSchemas[0].ValidationRules, 33)...), "metadata.input_schemas[0].validation_rules"},
		"an unknown semantic type":               {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "n", SemanticType: "text"}}}, "metadata.output_schemas[0].semantic_type"},
		"a rule without a message":               {input(agentcard.ValidationRule{Type: "format", Value: "x"}), "metadata.input_schemas[0].validation_rules[0].message"},
		"an unknown rule":                        {rule("min", 1.0), "metadata.input_schemas[0].validation_rules[0].type"},
		"a pattern that does not compile":        {rule("pattern", "("), ruleValue},
		"a pattern that is a number":             {rule("pattern", 1.0), ruleValue},
		"a pattern for a text":                   {rule("pattern", `^[^\n]{1,1000}$`), ""},
		"a pattern that repeats too often":       {rule("pattern", strings.Repeat("a{1000}", 140)), ruleValue},
		"repeats in repeats":                     {rule("pattern", "(([a-z]{10}b){10}){0,10}|((c{10}){10}){10}"), ruleValue},
		"a pattern in a schema":                  {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{patterned("^[a-z]{1,1000}$", "x{3}")}}, ""},
		"patterns in a schema that are too much": {agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{patterned(strings.Repeat("a{1000}", 6), strings.Repeat("b{1000}", 6))}}, "metadata.output_schemas[0].json_schema"},
		"a length that is negative":              {rule("length", -1.0), ruleValue},
		"a length that is not whole":             {rule("length", 1.5), ruleValue},
		"an enum of numbers":                     {rule("enum", []any{1.0}), ruleValue},
		"an empty enum":                          {rule("enum", []any{}), ruleValue},
		"a format without a name":                {rule("format", ""), ruleValue},
		"an agent that reviews itself":           {requirement(func(q *agentcard.ConsultationRequirement) { q.TargetAgent = "self" }), consultation + ".target_agent"},
		"a target that is no name":               {requirement(func(q *agentcard.ConsultationRequirement) { q.TargetAgent = "a b" }), consultation + ".target_agent"},
		"an id with a space":                     {requirement(func(q *agentcard.ConsultationRequirement) { q.ID = "a b" }), consultation + ".id"},
		"an unknown phase":                       {requirement(func(q *agentcard.ConsultationRequirement) { q.Phase = "later" }), consultation + ".phase"},
		"a level of evidence":                    {requirement(func(q *agentcard.ConsultationRequirement) { q.MinLevel = "C3" }), ""},
		"a level that there is not":              {requirement(func(q *agentcard.ConsultationRequirement) { q.MinLevel = "C4" }), consultation + ".min_level"},
		"a level that opens nothing":             {requirement(func(q *agentcard.ConsultationRequirement) { q.MinLevel = "C0" }), consultation + ".min_level"},
		"a space behind an attribute": {requirement(func(q *agentcard.ConsultationRequirement) {
			q.Condition = &agentcard.Condition{Attribute: "risky ", Operator: "exists"}
		}), consultation + ".condition.attribute"},
		"an attribute that looks like another": {requirement(func(q *agentcard.ConsultationRequirement) {
			q.Condition = &agentcard.Condition{Attribute: "ris\u200bky", Operator: "exists"}
		}), consultation + ".condition.attribute"},
		"a number whose digits are not kept":       {condition("greater_than", 9007199254740992.0), consultation + ".condition.value"},
		"a list with a number of too many digits":  {condition("equals", []any{"a", -9007199254740992.0}), consultation + ".condition.value"},
		"the largest number whose digits are kept": {condition("greater_than", 9007199254740991.0), ""},
		"an unknown operator":                      {condition("matches", "x"), consultation + ".condition.operator"},
		"greater_than with a word":                 {condition("greater_than", "3"), consultation + ".condition.value"},
		"contains with a list":                     {condition("contains", []any{"pii", "phi"}), consultation + ".condition.value"},
		"contains with an object":                  {condition("contains", map[string]any{"a": "b"}), consultation + ".condition.value"},
		"equals without a value":                   {condition("equals", nil), consultation + ".condition.value"},
		"exists with false":                        {condition("exists", false), consultation + ".condition.value"},
		"exists with true":                         {condition("exists", true), ""},
		"a value without end":                      {condition("equals", strings.Repeat("x", 5000)), consultation + ".condition.value"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.metadata.Validate("self")
			if test.field == "" {
				if err != nil {
					t.Errorf("Validate() = %v, want nil", err)
				}
				return
			}
			f := fault.From(err)
			if err == nil || f.Kind != fault.InvalidArgument || f.Reason != "METADATA_INVALID" || f.Violations[0].Field != test.field {
				t.Errorf("Validate() = %v (%+v), want METADATA_INVALID about %s", err, f, test.field)
			}
		})
	}
}

func TestSeveralMistakesAreCounted(t *testing.T) {
	t.Parallel()
	wrong := agentcard.Metadata{
		InputSchemas:  []agentcard.InputSchema{{Name: "words", SemanticType: "text"}},
		OutputSchemas: []agentcard.OutputSchema{{Name: "shout", SemanticType: "text"}},
	}
	f := fault.From(wrong.Validate("self"))
	if !strings.HasSuffix(f.Message, " (the first of 2 mistakes)") || len(f.Violations) != 2 {
		t.Errorf("Validate() = %v with %d violations, want the first of 2, so that nobody takes the other for one more type", f, len(f.Violations))
	}
}
