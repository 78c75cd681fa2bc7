package engine_test

import (
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestInputsReachTheAgentAndTellRequestsApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "worker", play: delivers("done")})
	inputs := func(value string) []orchestrator.Input {
		return []orchestrator.Input{{Name: "spec", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: value}}}}}
	}
	s := engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"}, RequestID: "r1", Inputs: inputs("short"),
	}
	task := w.submit(s)
	w.await(task.ID)
	var got []string
	for _, p := range w.agents.actor("worker").sends()[0].GetParts() {
		got = append(got, p.GetMetadata().GetFields()["input"].GetStringValue()+"="+p.GetText())
	}
	if diff := cmp.Diff([]string{"=do it", "spec=short"}, got); diff != "" {
		t.Errorf("the agent got parts (-want +got):\n%s", diff)
	}
	if again := w.submit(s); again.ID != task.ID {
		t.Errorf("Submit() again = task %s, want %s", again.ID, task.ID)
	}
	s.Inputs = inputs("other")
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Submit() with another input = %v, want REQUEST_ID_REUSED", err)
	}
}

func TestARouteIsResolvedWithoutATask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "worker", play: delivers("done")})
	for name, refused := range map[string]bool{"worker": false, "nobody": true} {
		d, err := w.engine.Resolve(t.Context(), engine.Submission{Tenant: tenant, Route: orchestrator.Route{Agent: name}})
		if err != nil || (d.Refused != "") != refused || (d.Chosen == name) == refused {
			t.Errorf("Resolve(%s) = %+v, %v, want it refused: %v", name, d, err, refused)
		}
	}
	if list, _, err := w.store.Tasks(t.Context(), tenant, "", 10); err != nil || len(list) != 0 {
		t.Errorf("Tasks() = %d, %v, want none", len(list), err)
	}
}

// TestAnInputIsOfTheTypeThatTheContractHasForIt routes by a contract that says of what type an input is. The agent declares an input of that type
// under another name.
func TestAnInputIsOfTheTypeThatTheContractHasForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, turns("writer", "spec", "document", "stories", "collection"))
	s := engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Inputs: []orchestrator.Input{{Name: "idea", Parts: text("a shop").GetParts()}},
		Route: orchestrator.Route{Contract: &orchestrator.Contract{
			Inputs: []orchestrator.Typed{{Name: "wish", SemanticType: "artifact"}, {Name: "idea", SemanticType: "comment"}}, Output: orchestrator.Typed{Name: "stories"},
		}},
	}
	if d, err := w.engine.Resolve(t.Context(), s); err != nil || d.Chosen != "writer" {
		t.Errorf("Resolve() = %+v, %v, want writer", d, err)
	}
	w.await(w.submit(s).ID)
	if got := input(w.agents.actor("writer").sends()[0], "spec"); got != "a shop" {
		t.Errorf("the agent got %q as its input, want what was given as another one of a fitting type", got)
	}
	if s.Inputs[0].SemanticType != "" {
		t.Errorf("the caller's own input was changed to %+v", s.Inputs[0])
	}
}

// TestOfThoseWhoFitOneThatTakesTheInputsIsChosen has two agents between which chance decides: one wants an input that the task does not have, or has it only
// shorter than it is.
func TestOfThoseWhoFitOneThatTakesTheInputsIsChosen(t *testing.T) {
	t.Parallel()
	const tries = 20
	wants := agentcard.InputSchema{Name: "spec", SemanticType: "document", Required: true}
	wants.ValidationRules = []agentcard.ValidationRule{{Type: "length", Value: 3.0, Message: "too long"}}
	skill, long := orchestrator.Route{Skill: "work"}, []orchestrator.Input{{Name: "spec", Parts: text("long").GetParts()}}
	contract := orchestrator.Route{Contract: &orchestrator.Contract{Inputs: []orchestrator.Typed{{Name: "spec"}}, Output: orchestrator.Typed{Name: "code"}}}
	for name, test := range map[string]struct {
		route  orchestrator.Route
		inputs []orchestrator.Input
		skill  string // of the other agent
		code   string
	}{
		"one is missing":                      {skill, nil, "work", "INPUT_MISSING"},
		"one is too long":                     {skill, long, "work", "INPUT_INVALID"},
		"a text leads to a skill":             {orchestrator.Route{Text: "work"}, nil, "work", "INPUT_MISSING"},
		"a text leads to skills of two names": {orchestrator.Route{Text: "work"}, nil, "WORK", "INPUT_MISSING"},
		"a contract leads to an output":       {contract, long, "work", "INPUT_INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			makes := []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact", Guaranteed: true}}
			picky := &actor{name: "picky", skill: "work", inputs: []agentcard.InputSchema{wants}, outputs: makes, play: delivers("done")}
			either := agentcard.InputSchema{Name: "spec", SemanticType: "document"}
			w := newWorld(t, picky, &actor{name: "plain", skill: test.skill, inputs: []agentcard.InputSchema{either}, outputs: makes, play: delivers("done")})
			s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: test.route, Inputs: test.inputs}
			rejected := 0
			for range tries {
				dry, err := w.engine.Resolve(t.Context(), s)
				if err != nil || dry.Chosen != "plain" {
					t.Fatalf("Resolve() = %+v, %v, want plain", dry, err)
				}
				if len(dry.Rejected) == 1 && dry.Rejected[0].Agent == "picky" && dry.Rejected[0].Code == test.code {
					rejected++
				}
				if task, err := w.engine.Submit(t.Context(), s); err != nil || task.Agent != "plain" {
					t.Fatalf("Submit() = agent %q, %v, want plain", task.Agent, err)
				}
			}
			if rejected == 0 {
				t.Errorf("in %d tries picky was rejected with %s never, want sometimes", tries, test.code)
			}
			s.Route = orchestrator.Route{Agent: "picky"}
			if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != test.code {
				t.Errorf("Submit() to picky = %v, want %s", err, test.code)
			}
		})
	}
}

// TestAFullAgentGetsWhatThoseWithRoomDoNotTake has two agents with room that want an input which the task does not have.
func TestAFullAgentGetsWhatThoseWithRoomDoNotTake(t *testing.T) {
	t.Parallel()
	wants := []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}
	either := []agentcard.InputSchema{{Name: "spec", SemanticType: "document"}}
	makes := []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact", Guaranteed: true}}
	full := &actor{name: "full", skill: "work", load: 10, inputs: either, outputs: makes, play: delivers("done")}
	w := newWorld(t, full,
		&actor{name: "picky", skill: "work", inputs: wants, outputs: makes, play: delivers("done")},
		&actor{name: "choosy", skill: "work", inputs: wants, outputs: makes, play: delivers("done")},
		&actor{name: "full-and-picky", skill: "work", load: 10, inputs: wants, outputs: makes, play: delivers("done")})
	for name, route := range map[string]orchestrator.Route{
		"skill": {Skill: "work"}, "text": {Text: "work"}, "contract": {Contract: &orchestrator.Contract{Inputs: []orchestrator.Typed{{Name: "spec"}}, Output: orchestrator.Typed{Name: "code"}}},
	} {
		s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: route}
		dry, err := w.engine.Resolve(t.Context(), s)
		why := map[string]string{}
		for _, r := range dry.Rejected {
			why[r.Agent] = r.Code
		}
		if err != nil || dry.Chosen != "full" || dry.Skill != "work" && name != "contract" || why["picky"] != "INPUT_MISSING" || why["choosy"] != "INPUT_MISSING" || why["full"] != "" {
			t.Errorf("Resolve(by %s) = %+v, %v, want full, and the others rejected with INPUT_MISSING", name, dry, err)
		}
		if task, err := w.engine.Submit(t.Context(), s); err != nil || task.Agent != "full" {
			t.Errorf("Submit(by %s) = agent %q, %v, want full", name, task.Agent, err)
		}
	}
	full.inputs = wants
	w.stop()
	w.start()
	if _, err := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work"}}); fault.ReasonOf(err) != "INPUT_MISSING" {
		t.Errorf("Submit() where nobody takes the inputs = %v, want INPUT_MISSING", err)
	}
}

// TestAnAgentThatJoinsTakesInputsAtOnce has the first submission after an agent has joined be one that the others do not take.
func TestAnAgentThatJoinsTakesInputsAtOnce(t *testing.T) {
	t.Parallel()
	makes := []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact", Guaranteed: true}}
	wants := []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}
	s := engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Contract: &orchestrator.Contract{Inputs: []orchestrator.Typed{{Name: "spec"}}, Output: orchestrator.Typed{Name: "code"}}},
	}
	for name, accepted := range map[string]func(*world) (agent string, err error){
		"a task": func(w *world) (string, error) {
			task, err := w.engine.Submit(t.Context(), s)
			return task.Agent, err
		},
		"a dry run": func(w *world) (string, error) {
			d, err := w.engine.Resolve(t.Context(), s)
			return d.Chosen, err
		},
	} {
		w := newWorld(t, &actor{name: "picky", inputs: wants, outputs: makes, play: delivers("done")})
		if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "INPUT_MISSING" {
			t.Fatalf("Submit() = %v, want INPUT_MISSING", err)
		}
		w.agents.mu.Lock()
		w.agents.actors["plain"] = &actor{name: "plain", outputs: makes, play: delivers("done")}
		w.agents.mu.Unlock()
		if agent, err := accepted(w); err != nil || agent != "plain" {
			t.Errorf("%s goes to %q, %v, want plain", name, agent, err)
		}
	}
}

// TestAFanOutGoesToThoseThatTakeTheInputs has three agents of which two are asked. The best of them wants an input that the task does not have.
func TestAFanOutGoesToThoseThatTakeTheInputs(t *testing.T) {
	t.Parallel()
	wants := []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}
	picky := &actor{name: "a-picky", skill: "work", inputs: wants, play: delivers("done")}
	w := newWorld(t, picky, &actor{name: "plain", skill: "work", load: 3, play: delivers("done")}, &actor{name: "simple", skill: "work", load: 6, play: delivers("done")})
	s := engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 2}},
	}
	want := []string{"simple", "plain"}
	dry, err := w.engine.Resolve(t.Context(), s)
	if err != nil || !slices.Equal(dry.FanOut, want) || dry.Chosen != "" || dry.Skill != "" || len(dry.Rejected) != 1 || dry.Rejected[0].Agent != "a-picky" || dry.Rejected[0].Code != "INPUT_MISSING" {
		t.Errorf("Resolve() = %+v, %v, want %v, and a-picky rejected with INPUT_MISSING", dry, err, want)
	}
	task, err := w.engine.Submit(t.Context(), s)
	if err != nil {
		t.Fatalf("Submit() = %v", err)
	}
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 2 {
		t.Errorf("state %s (%+v) with %d artifacts, want completed with 2", task.State, task.Error, len(task.Artifacts))
	}
	s.Route.FanOut.Agents = 3
	if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "INPUT_MISSING" {
		t.Errorf("Submit() to all three = %v, want INPUT_MISSING", err)
	}
}

// TestAFullAgentIsInAFanOutInsteadOfOneThatDoesNotTakeTheInputs has an agent with room that wants an input which the task does not have.
func TestAFullAgentIsInAFanOutInsteadOfOneThatDoesNotTakeTheInputs(t *testing.T) {
	wants := []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}
	picky := &actor{name: "picky", skill: "work", inputs: wants}
	full := &actor{name: "full", skill: "work", load: 10, play: delivers("done")}
	plain := &actor{name: "plain", skill: "work", play: delivers("done")}
	for name, test := range map[string]struct {
		mode   string
		agents []*actor
		want   []string
	}{
		"any": {orchestrator.PlanAny, []*actor{picky, full}, []string{"full"}},
		"all": {orchestrator.PlanAll, []*actor{picky, full, plain}, []string{"full", "plain"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.agents...)
			s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: test.mode}}}
			task, err := w.engine.Submit(t.Context(), s)
			if slices.Sort(task.Decision.FanOut); err != nil || !slices.Equal(task.Decision.FanOut, test.want) {
				t.Errorf("Submit() = a task of %v, %v, want one of %v", task.Decision.FanOut, err, test.want)
			}
		})
	}
}

// TestAFanOutDoesWithoutThoseThatDoNotTakeTheInputs has three agents of which one wants an input that the task does not have, and two or fewer have to complete it.
func TestAFanOutDoesWithoutThoseThatDoNotTakeTheInputs(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]orchestrator.FanOut{"any": {Mode: orchestrator.PlanAny}, "two": {Mode: orchestrator.PlanK, K: 2}, "two of three": {Mode: orchestrator.PlanK, K: 2, Agents: 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wants := []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}
			picky := &actor{name: "a-picky", skill: "work", inputs: wants, play: delivers("done")}
			w := newWorld(t, picky, &actor{name: "plain", skill: "work", play: delivers("done")}, &actor{name: "simple", skill: "work", play: delivers("done")})
			s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Skill: "work", FanOut: &f}}
			dry, err := w.engine.Resolve(t.Context(), s)
			if err != nil || !slices.Equal(dry.FanOut, []string{"plain", "simple"}) || len(dry.Candidates) != 2 || len(dry.Rejected) != 1 || dry.Rejected[0].Code != "INPUT_MISSING" {
				t.Errorf("Resolve() = %+v, %v, want plain and simple, and a-picky rejected with INPUT_MISSING", dry, err)
			}
			task, err := w.engine.Submit(t.Context(), s)
			if err != nil {
				t.Fatalf("Submit() = %v", err)
			}
			if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(picky.sends()) != 0 {
				t.Errorf("state %s (%+v), and a-picky got %d messages, want completed and none", task.State, task.Error, len(picky.sends()))
			}
			s.Route.FanOut = &orchestrator.FanOut{Mode: orchestrator.PlanK, K: 3}
			if _, err := w.engine.Submit(t.Context(), s); fault.ReasonOf(err) != "INPUT_MISSING" {
				t.Errorf("Submit() for three = %v, want INPUT_MISSING", err)
			}
		})
	}
}

// TestADryRunRejectsThoseThatDoNotTakeTheInputs has two agents, neither of which takes what there is, each for a reason of its own.
func TestADryRunRejectsThoseThatDoNotTakeTheInputs(t *testing.T) {
	t.Parallel()
	short := agentcard.InputSchema{Name: "spec", SemanticType: "document", ValidationRules: []agentcard.ValidationRule{{Type: "length", Value: 3.0, Message: "too long"}}}
	makes := []agentcard.OutputSchema{{Name: "code", SemanticType: "artifact", Guaranteed: true}}
	w := newWorld(t,
		&actor{name: "a", skill: "work", inputs: []agentcard.InputSchema{short}, outputs: makes},
		&actor{name: "b", skill: "work", inputs: []agentcard.InputSchema{short, {Name: "style", SemanticType: "collection", Required: true}}})
	want := map[string]string{"a": "INPUT_INVALID", "b": "INPUT_MISSING"}
	for name, route := range map[string]orchestrator.Route{
		"one":     {Skill: "work"},
		"several": {Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}},
	} {
		d, err := w.engine.Resolve(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: route, Inputs: []orchestrator.Input{{Name: "spec", Parts: text("long").GetParts()}},
		})
		got := make(map[string]string)
		for _, r := range d.Rejected {
			got[r.Agent] = r.Code
		}
		if diff := cmp.Diff(want, got); err != nil || d.Refused == "" || len(d.Candidates) > 0 || diff != "" {
			t.Errorf("Resolve() of %s = %+v, %v, want it refused without candidates; rejected (-want +got):\n%s", name, d, err, diff)
		}
	}
}
