package router_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// maker declares required inputs and guaranteed outputs, each as name:type.
func maker(name string, inputs, outputs string) registry.Agent {
	a := agent(name, registry.StatusAvailable)
	for in := range strings.FieldsSeq(inputs) {
		n, kind, _ := strings.Cut(in, ":")
		a.Metadata.InputSchemas = append(a.Metadata.InputSchemas, registry.InputSchema{Name: n, SemanticType: kind, Required: true})
	}
	for out := range strings.FieldsSeq(outputs) {
		n, kind, _ := strings.Cut(out, ":")
		a.Metadata.OutputSchemas = append(a.Metadata.OutputSchemas, registry.OutputSchema{Name: n, SemanticType: kind, Guaranteed: true})
	}
	return a
}

func typed(s string) (list []orchestrator.Typed) {
	for x := range strings.FieldsSeq(s) {
		n, kind, _ := strings.Cut(x, ":")
		list = append(list, orchestrator.Typed{Name: n, SemanticType: kind})
	}
	return list
}

func contract(inputs, output string) orchestrator.Route {
	return orchestrator.Route{Contract: &orchestrator.Contract{Inputs: typed(inputs), Output: typed(output)[0]}}
}

func TestAContractFindsWhoFulfilsIt(t *testing.T) {
	t.Parallel()
	down := maker("down", "spec:document", "code:artifact")
	down.Status.Status = registry.StatusError
	sometimes := maker("sometimes", "spec:document", "code:artifact")
	sometimes.Metadata.OutputSchemas[0].Guaranteed = false
	r := newRouter(maker("coder", "spec:document", "code:artifact"), maker("picky", "spec:document style:collection", "code:artifact"),
		maker("writer", "notes:document", "spec:document"), down, sometimes)
	tests := map[string]struct {
		inputs, output, chosen string
		candidates             []string
		rejected               map[string]string
	}{
		"by types": {":document", ":artifact", "coder", []string{"coder", "sometimes"}, map[string]string{
			"picky": router.CodeNoInput, "writer": router.CodeNoOutput, "down": router.CodeError,
		}},
		"by the output's name": {":document", "spec:", "writer", []string{"writer"}, map[string]string{
			"picky": router.CodeNoOutput, "coder": router.CodeNoOutput, "sometimes": router.CodeNoOutput, "down": router.CodeNoOutput,
		}},
		"with all that a picky one requires": {":document :collection", ":artifact", "picky", []string{"picky", "coder", "sometimes"}, map[string]string{
			"writer": router.CodeNoOutput, "down": router.CodeError,
		}},
		"a reference may stand for a document": {":reference", "code:artifact", "coder", []string{"coder", "sometimes"}, map[string]string{
			"picky": router.CodeNoInput, "writer": router.CodeNoOutput, "down": router.CodeError,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := r.Resolve(t.Context(), tenant, contract(test.inputs, test.output))
			if err != nil || got.Decision.Chosen != test.chosen {
				t.Fatalf("Resolve(%s → %s) = %+v, %v, want %s", test.inputs, test.output, got.Decision, err, test.chosen)
			}
			if diff := cmp.Diff(test.candidates, names(got.Decision.Candidates)); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.rejected, codes(got.Decision.Rejected)); diff != "" {
				t.Errorf("rejected (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAChainIsPlannedWhenNoAgentAloneFulfilsAContract(t *testing.T) {
	t.Parallel()
	drained := maker("shortcut", "idea:comment", "binary:collection")
	drained.Status = registry.Status{Status: registry.StatusUnavailable, Draining: true}
	r := newRouter(maker("analyst", "idea:comment", "stories:reference"), maker("coder", "stories:reference", "code:artifact"),
		maker("builder", "code:artifact", "binary:collection"), maker("detour", "code:artifact", "other:artifact"),
		maker("circle", "binary:collection", "idea:comment"), drained)
	got, err := r.Resolve(t.Context(), tenant, contract("my-idea:comment", "binary:"))
	if fault.ReasonOf(err) != router.ReasonNobody && fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Fatalf("Resolve() = %+v, %v, want it refused", got.Decision, err)
	}
	want := []orchestrator.Link{
		{Agent: "analyst", Inputs: typed("my-idea:comment"), Output: typed("stories:reference")[0]},
		{Agent: "coder", Inputs: typed("stories:reference"), Output: typed("code:artifact")[0]},
		{Agent: "builder", Inputs: typed("code:artifact"), Output: typed("binary:collection")[0]},
	}
	if diff := cmp.Diff(want, got.Decision.Chain); diff != "" {
		t.Errorf("Resolve() chain (-want +got):\n%s", diff)
	}
	if got.Decision.Chosen != "" || got.Decision.Refused == "" {
		t.Errorf("Resolve() = %+v, want nobody chosen", got.Decision)
	}
}

func TestACircleIsNoChain(t *testing.T) {
	t.Parallel()
	r := newRouter(maker("there", "x:comment", "y:reference"), maker("back", "y:reference", "x:comment"), maker("idle", "", "z:collection"))
	got, err := r.Resolve(t.Context(), tenant, contract("x:comment", "w:collection"))
	if fault.ReasonOf(err) != router.ReasonNoneFits || got.Decision.Chain != nil {
		t.Errorf("Resolve() = %+v, %v, want no chain", got.Decision, err)
	}
}
