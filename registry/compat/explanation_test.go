package compat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/compat"
)

// TestAPairSaysWhatToLookOutFor asks from both sides why an output fits an input, and under which conditions.
func TestAPairSaysWhatToLookOutFor(t *testing.T) {
	t.Parallel()
	text := map[string]any{"type": "string"}
	always := agentcard.OutputSchema{Name: "code", SemanticType: "artifact", Guaranteed: true}
	sometimes := agentcard.OutputSchema{Name: "code", SemanticType: "artifact", JSONSchema: text}
	ruled := agentcard.InputSchema{Name: "code", SemanticType: "artifact", Required: true, ValidationRules: make([]agentcard.ValidationRule, 1)}
	const typed, oneSide = "The built-in table takes the type artifact where document is wanted.", "Only one side has a JSON Schema, so their structure was not compared."
	for name, test := range map[string]struct {
		output agentcard.OutputSchema
		input  agentcard.InputSchema
		want   []string
	}{
		"nothing":                     {always, agentcard.InputSchema{Name: "text", SemanticType: "document", Required: true}, []string{typed}},
		"another name":                {always, agentcard.InputSchema{Name: "text", SemanticType: "artifact"}, []string{"Both have the type artifact."}},
		"an input that may be absent": {sometimes, agentcard.InputSchema{Name: "text", SemanticType: "document"}, []string{typed, oneSide}},
		"an input with a JSON Schema": {always, agentcard.InputSchema{Name: "text", SemanticType: "document", JSONSchema: text}, []string{typed, oneSide}},
		"all": {sometimes, ruled, []string{
			"Both have the type artifact, and both are named code.", oneSide, "The input is required, and the output is produced sometimes only.",
			"The value must also meet the validation rules of the input, 1 in all.",
		}},
	} {
		x := compat.NewIndex()
		maker, taker := agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{test.output}}, agentcard.Metadata{InputSchemas: []agentcard.InputSchema{test.input}}
		x.Add("maker", &maker)
		x.Add("taker", &taker)
		found := pairs(t, x, "maker", &maker, compat.Query{Direction: compat.Consumers}, 10)
		found = append(found, pairs(t, x, "taker", &taker, compat.Query{Direction: compat.Producers}, 10)...)
		if len(found) != 2 {
			t.Errorf("%s: %d pairs, want one from each side", name, len(found))
		}
		for _, p := range found {
			if diff := cmp.Diff(test.want, p.Explanation); diff != "" {
				t.Errorf("%s: explanation, difference (-want +got):\n%s", name, diff)
			}
		}
	}
}
