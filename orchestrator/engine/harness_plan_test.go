package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/registry/agentcard"
)

// turns plays an agent of a chain: what it delivers says what it was given.
func turns(name, in, inType, out, outType string) *actor {
	a := &actor{name: name, skill: "work"}
	a.inputs = []agentcard.InputSchema{{Name: in, SemanticType: inType, Required: true}}
	a.outputs = []agentcard.OutputSchema{{Name: out, SemanticType: outType, Guaranteed: true}}
	a.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", fmt.Sprintf("%s(%s)", name, input(m, in))))
	}
	return a
}

// input is what a message brings as an input.
func input(m *a2apb.Message, name string) string {
	var texts []string
	for _, p := range m.GetParts() {
		if p.GetMetadata().GetFields()["input"].GetStringValue() == name {
			texts = append(texts, p.GetText())
		}
	}
	return strings.Join(texts, "+")
}

func chained() engine.Submission {
	return engine.Submission{
		Route: orchestrator.Route{Contract: &orchestrator.Contract{
			Inputs: []orchestrator.Typed{{SemanticType: "comment"}}, Output: orchestrator.Typed{SemanticType: "collection"},
		}},
		Inputs: []orchestrator.Input{{Name: "wish", SemanticType: "comment", Parts: text("a shop").GetParts()}},
	}
}

func threeInAChain() []*actor {
	return []*actor{
		turns("analyst", "idea", "comment", "stories", "reference"), turns("coder", "stories", "reference", "code", "artifact"),
		turns("builder", "code", "artifact", "site", "collection"),
	}
}

var toAll = orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}

// stepRuns reports whether a step's task is under way, as the task says.
func stepRuns(t *orchestrator.Task, i int) bool {
	s := &t.Plan.Steps[i]
	return s.TaskID != "" && !orchestrator.Terminal(s.State)
}

// after is a play that begins when it may.
func after(may <-chan struct{}, play func(context.Context, *a2apb.Message, agentclient.Each) error) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		select {
		case <-may:
			return play(ctx, m, say)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitCompleted waits until so many steps of a task are completed, or it has ended.
func (w *world) awaitCompleted(id string, steps int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	enough := errors.New("enough are")
	_, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: id}, 0, true, func(orchestrator.Event) error {
		if w.task(id).Plan.Completed() >= steps {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		w.t.Fatalf("Watch(%s) = %v, want %d completed steps", id, err, steps)
	}
}
