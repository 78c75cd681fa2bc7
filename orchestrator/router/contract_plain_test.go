package router_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// verdict is what a decision by contract has to say of an agent: why it is rejected, or how it fulfils the contract and how well.
type verdict struct{ code, text, score string }

// plainVerdict judges an agent as one would by hand, without an index and without regard to other agents.
func plainVerdict(types registry.Listing, a *registry.Agent, want orchestrator.Contract) verdict {
	makes := -1
	for i, o := range a.Metadata.OutputSchemas {
		fits := (want.Output.Name == "" || o.Name == want.Output.Name) && (want.Output.SemanticType == "" || types.Related(o.SemanticType, want.Output.SemanticType))
		if fits && (makes < 0 || o.Guaranteed && !a.Metadata.OutputSchemas[makes].Guaranteed) {
			makes = i
		}
	}
	if makes < 0 {
		return verdict{code: router.CodeNoOutput, text: "it does not declare an output " + shown(want.Output)}
	}
	used, missing := plainInputs(types, a.Metadata.InputSchemas, want.Inputs)
	if len(missing) > 0 {
		return verdict{code: router.CodeNoInput, text: "it also requires " + strings.Join(missing, ", ")}
	}
	out, score := a.Metadata.OutputSchemas[makes], 1.0
	text := "makes " + shown(orchestrator.Typed{Name: out.Name, SemanticType: out.SemanticType})
	if want.Output.SemanticType != "" && want.Output.SemanticType != out.SemanticType {
		text += "; which may stand for a " + want.Output.SemanticType
		score *= 0.9
	}
	if !out.Guaranteed {
		text += "; not always"
		score *= 0.8
	}
	if n := len(want.Inputs); n > 0 {
		text += fmt.Sprintf("; of %d of %d inputs", used, n)
		score *= 0.7 + 0.3*float64(used)/float64(n)
	}
	return verdict{text: text, score: fmt.Sprintf("%.4f", score)}
}

// plainInputs gives each thing to one input at most: to the required ones first, by name, then by the same type, then by a related one.
func plainInputs(types registry.Listing, inputs []agentcard.InputSchema, have []orchestrator.Typed) (used int, missing []string) {
	have, given := slices.Clone(have), make([]bool, len(inputs))
	for round := range 6 {
		for i, in := range inputs {
			at := slices.IndexFunc(have, func(h orchestrator.Typed) bool {
				fits := h.SemanticType == "" && h.Name == in.Name || h.SemanticType != "" && types.Related(h.SemanticType, in.SemanticType)
				return fits && []bool{h.Name == in.Name, h.SemanticType == in.SemanticType, true}[round%3]
			})
			if at >= 0 && !given[i] && in.Required == (round < 3) {
				given[i], have = true, slices.Delete(have, at, at+1)
				used++
			}
		}
	}
	for i, in := range inputs {
		if in.Required && !given[i] {
			missing = append(missing, shown(orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType}))
		}
	}
	return used, missing
}

func shown(t orchestrator.Typed) string {
	switch {
	case t.Name == "":
		return "of type " + t.SemanticType
	case t.SemanticType == "":
		return fmt.Sprintf("%q", t.Name)
	default:
		return fmt.Sprintf("%q (%s)", t.Name, t.SemanticType)
	}
}
