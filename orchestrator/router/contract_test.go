package router_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/embedded"
)

// maker declares required inputs and guaranteed outputs, each as name:type.
func maker(name string, inputs, outputs string) registry.Agent {
	a := agent(name, registry.StatusAvailable)
	for in := range strings.FieldsSeq(inputs) {
		n, kind, _ := strings.Cut(in, ":")
		a.Metadata.InputSchemas = append(a.Metadata.InputSchemas, agentcard.InputSchema{Name: n, SemanticType: kind, Required: true})
	}
	for out := range strings.FieldsSeq(outputs) {
		n, kind, _ := strings.Cut(out, ":")
		a.Metadata.OutputSchemas = append(a.Metadata.OutputSchemas, agentcard.OutputSchema{Name: n, SemanticType: kind, Guaranteed: true})
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
	if err != nil {
		t.Fatalf("Resolve() = %+v, %v, want a chain", got.Decision, err)
	}
	takes := func(as, item string, from int) []orchestrator.Take {
		return []orchestrator.Take{{As: as, Item: item, From: from}}
	}
	want := []orchestrator.Link{
		{Agent: "analyst", Inputs: typed("my-idea:comment"), Output: typed("stories:reference")[0], Takes: takes("idea", "", 0)},
		{Agent: "coder", Inputs: typed("stories:reference"), Output: typed("code:artifact")[0], Takes: takes("stories", "stories", 1)},
		{Agent: "builder", Inputs: typed("code:artifact"), Output: typed("binary:collection")[0], Takes: takes("code", "code", 2)},
	}
	if diff := cmp.Diff(want, got.Decision.Chain); diff != "" {
		t.Errorf("Resolve() chain (-want +got):\n%s", diff)
	}
	if got.Decision.Chosen != "" || got.Decision.Refused != "" {
		t.Errorf("Resolve() = %+v, want no single agent chosen, and no refusal", got.Decision)
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

func TestAChainBringsTogetherWhatSeveralMake(t *testing.T) {
	t.Parallel()
	r := newRouter(maker("splitter", "idea:comment", "plan:reference look:artifact"), maker("joiner", "plan:reference look:artifact", "site:collection"))
	got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", ":collection"))
	want := []orchestrator.Link{
		{Agent: "splitter", Inputs: typed("idea:comment"), Output: typed("plan:reference")[0], Takes: []orchestrator.Take{{As: "idea"}}},
		{Agent: "joiner", Inputs: typed("plan:reference look:artifact"), Output: typed("site:collection")[0], Takes: []orchestrator.Take{{As: "plan", Item: "plan", From: 1}, {As: "look", Item: "look", From: 1}}},
	}
	if diff := cmp.Diff(want, got.Decision.Chain); err != nil || diff != "" {
		t.Errorf("Resolve() = %v, chain (-want +got):\n%s", err, diff)
	}
}

func TestAChainOfTooManyHopsIsRefused(t *testing.T) {
	t.Parallel()
	var agents []registry.Agent
	for i := range 6 {
		a := maker(fmt.Sprintf("a%d", i), fmt.Sprintf("x%d:", i), fmt.Sprintf("x%d:", i+1))
		a.Metadata.InputSchemas[0].SemanticType, a.Metadata.OutputSchemas[0].SemanticType = fmt.Sprint("t", i), fmt.Sprint("t", i+1)
		agents = append(agents, a)
	}
	want := func(output string) orchestrator.Route {
		return orchestrator.Route{Contract: &orchestrator.Contract{Inputs: []orchestrator.Typed{{Name: "x0"}}, Output: orchestrator.Typed{Name: output}}}
	}
	r := newRouter(agents...)
	if got, err := r.Resolve(t.Context(), tenant, want("x5")); err != nil || len(got.Decision.Chain) != 5 {
		t.Errorf("Resolve(x5) = %+v, %v, want a chain of five", got.Decision, err)
	}
	got, err := r.Resolve(t.Context(), tenant, want("x6"))
	if fault.ReasonOf(err) != router.ReasonChainTooLong || !strings.Contains(got.Decision.Refused, "a0, then a1, then a2, then a3, then a4, then a5") {
		t.Errorf("Resolve(x6) = %+v, %v, want it refused as too long, with the agents", got.Decision, err)
	}
}

// TestAChainOfTooManyAgentsIsRefused has one agent need what many others make, beside each other.
func TestAChainOfTooManyAgentsIsRefused(t *testing.T) {
	t.Parallel()
	for others, fits := range map[int]bool{63: true, 64: false} {
		var agents []registry.Agent
		var parts []string
		for i := range others {
			part := fmt.Sprintf("part%d:artifact", i)
			agents, parts = append(agents, maker(fmt.Sprint("a", i), "idea:comment", part)), append(parts, part)
		}
		agents = append(agents, maker("joiner", strings.Join(parts, " "), "site:collection"))
		got, err := newRouter(agents...).Resolve(t.Context(), tenant, contract("idea:comment", "site:collection"))
		if tooLong := fault.ReasonOf(err) == router.ReasonChainTooLong; tooLong == fits || fits && len(got.Decision.Chain) != others+1 {
			t.Errorf("Resolve() with %d agents beside each other = a chain of %d, %v, want it refused: %t", others, len(got.Decision.Chain), err, !fits)
		}
	}
}

// TestAChainDoesNotJoinWhatItsSchemasKeepApart asks each router twice, since what was compared is remembered.
func TestAChainDoesNotJoinWhatItsSchemasKeepApart(t *testing.T) {
	t.Parallel()
	schema := func(kind string) map[string]any { return map[string]any{"type": kind} }
	from, to := maker("from", "idea:comment", "plan:artifact"), maker("to", "plan:artifact", "site:collection")
	from.Metadata.OutputSchemas[0].JSONSchema, to.Metadata.InputSchemas[0].JSONSchema = schema("string"), schema("object")
	r := newRouter(from, to)
	for range 2 {
		if got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", ":collection")); fault.ReasonOf(err) != router.ReasonNoneFits {
			t.Errorf("Resolve() with schemas that do not fit = %+v, %v, want %s", got.Decision, err, router.ReasonNoneFits)
		}
	}
	to.Metadata.InputSchemas[0].JSONSchema = schema("string")
	r = newRouter(from, to)
	for range 2 {
		if got, err := r.Resolve(t.Context(), tenant, contract("idea:comment", ":collection")); err != nil || len(got.Decision.Chain) != 2 {
			t.Errorf("Resolve() with schemas that fit = %+v, %v, want a chain of two", got.Decision, err)
		}
	}
}

// TestAChainGivesEachInputWhatItTakes has an agent take two things, of which what is found first for one is all that fits the other.
func TestAChainGivesEachInputWhatItTakes(t *testing.T) {
	t.Parallel()
	schema := func(kind string) map[string]any { return map[string]any{"type": kind} }
	for name, test := range map[string]struct{ kind, takes string }{
		"both texts":                       {"document", "one:document two:document"},
		"one that may stand for the other": {"reference", "one:reference two:document"},
	} {
		a, b, last := maker("a", "idea:collection", "x:"+test.kind), maker("b", "idea:collection", "y:"+test.kind), maker("last", test.takes, "site:artifact")
		a.Metadata.OutputSchemas[0].JSONSchema, b.Metadata.OutputSchemas[0].JSONSchema = schema("object"), schema("string")
		last.Metadata.InputSchemas[1].JSONSchema = schema("object")
		got, err := newRouter(a, b, last).Resolve(t.Context(), tenant, contract("idea:collection", ":artifact"))
		list := got.Decision.Chain
		if err != nil || len(list) != 3 {
			t.Errorf("%s: Resolve() = %+v, %v, want a chain of three", name, got.Decision, err)
			continue
		}
		want := []orchestrator.Take{{As: "one", Item: "y", From: 1}, {As: "two", Item: "x", From: 2}}
		if diff := cmp.Diff(want, list[2].Takes); diff != "" {
			t.Errorf("%s: Resolve(): what last takes (-want +got):\n%s", name, diff)
		}
	}
}

// TestWhatHasTheNameOfAnInputIsThatInput has a thing that could as well be the other input, for which there is nothing else.
func TestWhatHasTheNameOfAnInputIsThatInput(t *testing.T) {
	t.Parallel()
	r := newRouter(maker("a", "text:document plan:artifact", "shop:reference"))
	if got, err := r.Resolve(t.Context(), tenant, contract("text:artifact :comment", "shop:")); fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Errorf("Resolve() = %+v, %v, want %s", got.Decision, err, router.ReasonNoneFits)
	}
	if got, err := r.Resolve(t.Context(), tenant, contract(":artifact :comment", "shop:")); err != nil || got.Decision.Chosen != "a" {
		t.Errorf("Resolve() of the same without the name = %+v, %v, want a", got.Decision, err)
	}
}

// newRegistry returns a real registry, of which no type may stand for another except by the built-in table, and a function that registers an agent with it.
func newRegistry(t *testing.T) (*registry.Registry, func(registry.Agent)) {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "r.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(store, registry.Options{})
	return reg, func(a registry.Agent) {
		t.Helper()
		card := fmt.Sprintf(`{"name":%q,"description":"Makes things.","version":"1.0.0","supportedInterfaces":[{"url":"http://127.0.0.1:1","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"make","name":"Make","description":"Makes it.","tags":["make"]}]}`, a.Name)
		if _, _, err := reg.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(card), Metadata: &a.Metadata}); err != nil {
			t.Fatal(err)
		}
		if _, err := reg.Heartbeat(t.Context(), tenant, registry.Beat{Agent: a.Name, Status: registry.StatusAvailable}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnAdminsMappingCounts runs on a real registry: the built-in table has nothing to do with it.
func TestAnAdminsMappingCounts(t *testing.T) {
	t.Parallel()
	reg, register := newRegistry(t)
	r, route := router.New(router.Config{Directory: reg.Directory(), Intn: first}), contract("spec:artifact", "site:collection")
	register(maker("builder", "plan:collection", "site:collection"))
	if got, err := r.Resolve(t.Context(), tenant, route); fault.ReasonOf(err) != router.ReasonNoneFits {
		t.Fatalf("Resolve() = %+v, %v, want %s", got.Decision, err, router.ReasonNoneFits)
	}
	if _, err := reg.CreateMapping(t.Context(), tenant, registry.Mapping{From: "artifact", To: "collection"}, registry.Retry{}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Resolve(t.Context(), tenant, route); err != nil || got.Decision.Chosen != "builder" {
		t.Errorf("Resolve() with the mapping = %+v, %v, want builder", got.Decision, err)
	}
}

// TestInputsMakeRoomForEachOther has an artifact that may be either input of two agents, and a comment that may be only one.
func TestInputsMakeRoomForEachOther(t *testing.T) {
	t.Parallel()
	reg, register := newRegistry(t)
	if _, err := reg.CreateMapping(t.Context(), tenant, registry.Mapping{From: "artifact", To: "collection"}, registry.Retry{}); err != nil {
		t.Fatal(err)
	}
	stallkeeper := maker("stallkeeper", "text:document plan:collection", "shop:reference")
	stallkeeper.Metadata.InputSchemas = append(stallkeeper.Metadata.InputSchemas, agentcard.InputSchema{Name: "note", SemanticType: "comment"}) // nothing is left for that
	register(maker("shopkeeper", "text:document plan:collection", "shop:reference"))
	register(stallkeeper)
	r := router.New(router.Config{Directory: reg.Directory(), Intn: first})
	for _, have := range []string{":artifact :comment", ":comment :artifact"} {
		got, err := r.Resolve(t.Context(), tenant, contract(have, "shop:"))
		if err != nil || len(got.Decision.Candidates) != 2 {
			t.Errorf("Resolve() with %s = %+v, %v, want both", have, got.Decision, err)
		}
		for _, c := range got.Decision.Candidates {
			if !slices.Contains(c.Reasons, "of 2 of 2 inputs") {
				t.Errorf("Resolve() with %s says %q of %s, want that it uses both inputs, each once", have, c.Reasons, c.Agent)
			}
		}
	}
}
