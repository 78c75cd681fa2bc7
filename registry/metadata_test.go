package registry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func input(rules ...registry.ValidationRule) registry.Metadata {
	return registry.Metadata{InputSchemas: []registry.InputSchema{{Name: "n", SemanticType: "document", ValidationRules: rules}}}
}

func rule(kind string, value any) registry.Metadata {
	return input(registry.ValidationRule{Type: kind, Value: value, Message: "m"})
}

// patterned is an output with a property that fits a pattern, and others whose names fit one.
func patterned(value, names string) registry.OutputSchema {
	return registry.OutputSchema{Name: "n", SemanticType: "comment", JSONSchema: map[string]any{
		"properties": map[string]any{"pattern": map[string]any{"type": "string", "pattern": value}}, "patternProperties": map[string]any{names: true},
	}}
}

func requirement(change func(*registry.ConsultationRequirement)) registry.Metadata {
	q := registry.ConsultationRequirement{ID: "r", TargetAgent: "reviewer", Phase: "on-error"}
	change(&q)
	return registry.Metadata{ConsultationRequirements: []registry.ConsultationRequirement{q}}
}

func condition(operator string, value any) registry.Metadata {
	return requirement(func(q *registry.ConsultationRequirement) {
		q.Condition = &registry.Condition{Attribute: "a", Operator: operator, Value: value}
	})
}

func TestValidateMetadata(t *testing.T) {
	t.Parallel()
	const consultation, ruleValue = "metadata.consultation_requirements[0]", "metadata.input_schemas[0].validation_rules[0].value"
	schema := registry.OutputSchema{Name: "n", SemanticType: "comment"}
	tests := map[string]struct {
		metadata registry.Metadata
		field    string // empty: valid
	}{
		"nothing is valid":                        {registry.Metadata{}, ""},
		"a format":                                {rule("format", "markdown"), ""},
		"a length":                                {rule("length", 10.0), ""},
		"a pattern":                               {rule("pattern", `^\d+$`), ""},
		"an enum":                                 {rule("enum", []any{"a"}), ""},
		"a condition without a value for exists":  {condition("exists", nil), ""},
		"a condition with a number":               {condition("greater_than", 3.5), ""},
		"a condition with a list for equals":      {condition("equals", []any{"pii"}), ""},
		"a condition with false":                  {condition("equals", false), ""},
		"two inputs of one name":                  {registry.Metadata{InputSchemas: slices.Repeat(input().InputSchemas, 2)}, "metadata.input_schemas[1].name"},
		"two outputs of one name":                 {registry.Metadata{OutputSchemas: []registry.OutputSchema{schema, schema}}, "metadata.output_schemas[1].name"},
		"two requirements of one id":              {registry.Metadata{ConsultationRequirements: slices.Repeat(condition("exists", nil).ConsultationRequirements, 2)}, "metadata.consultation_requirements[1].id"},
		"65 inputs":                               {registry.Metadata{InputSchemas: make([]registry.InputSchema, 65)}, "metadata.input_schemas"},
		"65 outputs":                              {registry.Metadata{OutputSchemas: make([]registry.OutputSchema, 65)}, "metadata.output_schemas"},
		"65 requirements":                         {registry.Metadata{ConsultationRequirements: make([]registry.ConsultationRequirement, 65)}, "metadata.consultation_requirements"},
		"501 skills that are done once":           {registry.Metadata{AtMostOnceSkills: slices.Repeat([]string{"s"}, 501)}, "metadata.at_most_once_skills"},
		"a skill without an id that is done once": {registry.Metadata{AtMostOnceSkills: []string{"s", ""}}, "metadata.at_most_once_skills[1]"},
		"an input without a name":                 {registry.Metadata{InputSchemas: []registry.InputSchema{{SemanticType: "comment"}}}, "metadata.input_schemas[0].name"},
		"an output without a name":                {registry.Metadata{OutputSchemas: []registry.OutputSchema{{SemanticType: "comment"}}}, "metadata.output_schemas[0].name"},
		"an input that looks like another":        {registry.Metadata{InputSchemas: []registry.InputSchema{{Name: "sp\u200bec", SemanticType: "comment"}}}, "metadata.input_schemas[0].name"},
		"an input that moves the cursor":          {registry.Metadata{InputSchemas: []registry.InputSchema{{Name: "\x1b[2Jspec", SemanticType: "comment"}}}, "metadata.input_schemas[0].name"},
		"a line break in an output's name":        {registry.Metadata{OutputSchemas: []registry.OutputSchema{{Name: "spec\n", SemanticType: "comment"}}}, "metadata.output_schemas[0].name"},
		"a description in two lines":              {registry.Metadata{OutputSchemas: []registry.OutputSchema{{Name: "n", SemanticType: "comment", Description: "One.\n\tTwo: \u0646\u200c\u0647."}}}, ""},
		"an input that is described backwards":    {registry.Metadata{InputSchemas: []registry.InputSchema{{Name: "n", SemanticType: "comment", Description: "safe \u202eevil"}}}, "metadata.input_schemas[0].description"},
		"an output with an unseen description":    {registry.Metadata{OutputSchemas: []registry.OutputSchema{{Name: "n", SemanticType: "comment", Description: "ig\u200bnore"}}}, "metadata.output_schemas[0].description"},
		"a message that clears the screen":        {input(registry.ValidationRule{Type: "length", Value: 1.0, Message: "\x1b[2J"}), "metadata.input_schemas[0].validation_rules[0].message"},
		"names in words":                          {registry.Metadata{OutputSchemas: []registry.OutputSchema{{Name: "the spec, für später", SemanticType: "comment"}}}, ""},
		"a condition without an attribute": {requirement(func(q *registry.ConsultationRequirement) {
			q.Condition = &registry.Condition{Operator: "exists"}
		}), consultation + ".condition.attribute"},
		"33 rules":                               {input(slices.Repeat(rule("format", "x").InputSchemas[0].ValidationRules, 33)...), "metadata.input_schemas[0].validation_rules"},
		"an unknown semantic type":               {registry.Metadata{OutputSchemas: []registry.OutputSchema{{Name: "n", SemanticType: "text"}}}, "metadata.output_schemas[0].semantic_type"},
		"a rule without a message":               {input(registry.ValidationRule{Type: "format", Value: "x"}), "metadata.input_schemas[0].validation_rules[0].message"},
		"an unknown rule":                        {rule("min", 1.0), "metadata.input_schemas[0].validation_rules[0].type"},
		"a pattern that does not compile":        {rule("pattern", "("), ruleValue},
		"a pattern that is a number":             {rule("pattern", 1.0), ruleValue},
		"a pattern for a text":                   {rule("pattern", `^[^\n]{1,1000}$`), ""},
		"a pattern that repeats too often":       {rule("pattern", strings.Repeat("a{1000}", 140)), ruleValue},
		"repeats in repeats":                     {rule("pattern", "(([a-z]{10}b){10}){0,10}|((c{10}){10}){10}"), ruleValue},
		"a pattern in a schema":                  {registry.Metadata{OutputSchemas: []registry.OutputSchema{patterned("^[a-z]{1,1000}$", "x{3}")}}, ""},
		"patterns in a schema that are too much": {registry.Metadata{OutputSchemas: []registry.OutputSchema{patterned(strings.Repeat("a{1000}", 6), strings.Repeat("b{1000}", 6))}}, "metadata.output_schemas[0].json_schema"},
		"a length that is negative":              {rule("length", -1.0), ruleValue},
		"a length that is not whole":             {rule("length", 1.5), ruleValue},
		"an enum of numbers":                     {rule("enum", []any{1.0}), ruleValue},
		"an empty enum":                          {rule("enum", []any{}), ruleValue},
		"a format without a name":                {rule("format", ""), ruleValue},
		"an agent that reviews itself":           {requirement(func(q *registry.ConsultationRequirement) { q.TargetAgent = "self" }), consultation + ".target_agent"},
		"a target that is no name":               {requirement(func(q *registry.ConsultationRequirement) { q.TargetAgent = "a b" }), consultation + ".target_agent"},
		"an id with a space":                     {requirement(func(q *registry.ConsultationRequirement) { q.ID = "a b" }), consultation + ".id"},
		"an unknown phase":                       {requirement(func(q *registry.ConsultationRequirement) { q.Phase = "later" }), consultation + ".phase"},
		"a level of evidence":                    {requirement(func(q *registry.ConsultationRequirement) { q.MinLevel = "C3" }), ""},
		"a level that there is not":              {requirement(func(q *registry.ConsultationRequirement) { q.MinLevel = "C4" }), consultation + ".min_level"},
		"a level that opens nothing":             {requirement(func(q *registry.ConsultationRequirement) { q.MinLevel = "C0" }), consultation + ".min_level"},
		"a space behind an attribute": {requirement(func(q *registry.ConsultationRequirement) {
			q.Condition = &registry.Condition{Attribute: "risky ", Operator: "exists"}
		}), consultation + ".condition.attribute"},
		"an attribute that looks like another": {requirement(func(q *registry.ConsultationRequirement) {
			q.Condition = &registry.Condition{Attribute: "ris\u200bky", Operator: "exists"}
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

func TestUpdateMetadata(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	before := register(t, r, "a")
	both := input()
	both.ConsultationRequirements = condition("exists", nil).ConsultationRequirements
	first, warnings, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", before.Etag, nil, both)
	if err != nil || first.Etag == before.Etag || first.Revision != 2 || len(warnings) != 1 {
		t.Fatalf("UpdateMetadata() = %+v, %v, %v, want a new etag, revision 2 and one warning", first, warnings, err)
	}
	_, _, err = r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", before.Etag, nil, both)
	if fault.ReasonOf(err) != "ETAG_MISMATCH" || fault.KindOf(err) != fault.Conflict {
		t.Errorf("UpdateMetadata(stale etag) = %v, want ETAG_MISMATCH", err)
	}
	second, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "*", []string{"input_schemas"}, registry.Metadata{})
	if err != nil || len(second.Metadata.InputSchemas) != 0 || len(second.Metadata.ConsultationRequirements) != 1 {
		t.Errorf("UpdateMetadata(mask) = %+v, %v, want only the inputs replaced", second.Metadata, err)
	}
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	if got, err := r.Agent(t.Context(), tenant, "a"); err != nil || got.Etag != second.Etag {
		t.Errorf("Agent().Etag after a beat = %q, %v, want %q", got.Etag, err, second.Etag)
	}
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", []string{"name"}, both); fault.ReasonOf(err) != "MASK_INVALID" {
		t.Errorf("UpdateMetadata(mask name) = %v, want MASK_INVALID", err)
	}
	if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "b", "", nil, both); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("UpdateMetadata(b) = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestADryRunOfMetadataWritesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	a := register(t, r, "a")
	w := r.Once(registry.Retry{Caller: "admin", RequestID: "1"})
	m := registry.Metadata{InputSchemas: []registry.InputSchema{{Name: "i", SemanticType: "document"}}}
	would, _, err := w.DryRun().UpdateMetadata(t.Context(), tenant, "a", a.Etag, nil, m)
	if err != nil || would.Etag == a.Etag || len(would.Metadata.InputSchemas) != 1 {
		t.Errorf("UpdateMetadata() = %+v, %v, want what would be written", would, err)
	}
	if _, _, err := w.DryRun().UpdateMetadata(t.Context(), tenant, "a", "other", nil, m); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("UpdateMetadata() with another etag = %v, want ETAG_MISMATCH", err)
	}
	if now, err := r.Agent(t.Context(), tenant, "a"); err != nil || now.Etag != a.Etag || len(now.Metadata.InputSchemas) != 0 {
		t.Errorf("Agent() = %+v, %v, want what there was before", now, err)
	}
	if now, _, err := w.UpdateMetadata(t.Context(), tenant, "a", a.Etag, nil, m); err != nil || now.Etag == a.Etag { // the request id is not used up
		t.Errorf("UpdateMetadata() = %+v, %v, want it written", now, err)
	}
}

func TestUpdateMetadataOfWhatMustNotBeDoneTwice(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	rules := condition("exists", nil)
	for _, step := range []struct {
		mask     []string
		metadata registry.Metadata
		skills   []string
		rules    int
	}{
		{nil, registry.Metadata{ConsultationRequirements: rules.ConsultationRequirements, AtMostOnceSkills: []string{"pay"}}, []string{"pay"}, 1},
		{[]string{"input_schemas"}, registry.Metadata{}, []string{"pay"}, 1},
		{[]string{"at_most_once_skills"}, registry.Metadata{AtMostOnceSkills: []string{"*"}}, []string{"*"}, 1},
		{[]string{"consultation_requirements"}, registry.Metadata{}, []string{"*"}, 0},
		{nil, registry.Metadata{}, nil, 0},
	} {
		a, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, "a", "", step.mask, step.metadata)
		if err != nil || !slices.Equal(a.Metadata.AtMostOnceSkills, step.skills) || len(a.Metadata.ConsultationRequirements) != step.rules {
			t.Errorf("UpdateMetadata(%v) = %+v, %v, want at most once %v and %d rules", step.mask, a.Metadata, err, step.skills, step.rules)
		}
	}
}

// TestAnEtagIsOfWhatWasRead: after a backup is restored, an agent may come to the same revision once more, with other content.
func TestAnEtagIsOfWhatWasRead(t *testing.T) {
	t.Parallel()
	clock := newClock()
	seen := make(map[string]string)
	for name, in := range map[string]registry.Registration{
		"a card":       {RawCard: named("a", "x")},
		"another card": {RawCard: named("a", "y")},
		"metadata":     {RawCard: named("a", "x"), Metadata: &registry.Metadata{AtMostOnceSkills: []string{"*"}}},
	} {
		a, _, err := open(t, registry.Options{Now: clock.Now}).Register(t.Context(), tenant, in)
		if other, twice := seen[a.Etag]; err != nil || twice {
			t.Errorf("Register() with %s = etag %q, %v, want another than with %s", name, a.Etag, err, other)
		}
		seen[a.Etag] = name
	}
}

func TestAnEtagDoesNotFitASuccessor(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	before := register(t, r, "a")
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", "stale"); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("Delete(stale etag) = %v, want ETAG_MISMATCH", err)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", before.Etag); err != nil {
		t.Errorf("Delete() = %v, want no error", err)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Delete() again = %v, want AGENT_NOT_FOUND", err)
	}
	time0.pass(1)
	if after := register(t, r, "a"); after.Etag == before.Etag {
		t.Errorf("Etag of the successor = %q, want another", after.Etag)
	}
}
