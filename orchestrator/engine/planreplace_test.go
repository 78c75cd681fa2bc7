package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// withASpare is a chain of three with another analyst, who has another name for what it is given.
func withASpare() []*actor {
	return append(threeInAChain(), turns("spare", "thought", "comment", "stories", "reference"))
}

func TestAStepWhoseAgentCannotBeReachedGoesToAnotherOne(t *testing.T) {
	t.Parallel()
	list := withASpare()
	list[0].down = 1000
	w := newWorld(t, list...)
	task, log := w.awaitEnd(w.submit(chained()).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("state %s (%+v), want completed; log %v", task.State, task.Error, log)
	}
	if got, want := task.Artifacts[0].GetParts()[0].GetText(), "builder(coder(spare(a shop)))"; got != want {
		t.Errorf("delivered %q, want %q", got, want)
	}
	child := w.task(task.Plan.Steps[0].TaskID)
	d := child.Decision
	if task.Plan.Steps[0].Agent != "spare" || d.Chosen != "spare" || len(d.Rejected) != 1 || d.Rejected[0].Agent != "analyst" ||
		!strings.Contains(strings.Join(d.Candidates[0].Reasons, "; "), "analyst could not be reached") {
		t.Errorf("the step is done by %s after the decision %+v, want the spare one instead of the analyst, with the reason", task.Plan.Steps[0].Agent, d)
	}
	if d := w.task(task.Plan.Steps[1].TaskID).Decision; d.Chosen != "coder" || d.Candidates[0].Reasons[0] != "its step in the chain" {
		t.Errorf("Decision = %+v, want coder, since the step is its own", d)
	}
	if !slices.ContainsFunc(log, func(e orchestrator.Event) bool {
		return strings.Contains(e.Detail, "step 1 of 3 (analyst): spare does it instead")
	}) {
		t.Errorf("the log does not say who does the step: %v", log)
	}
}

func TestAStepWhoseAgentIsGoneGoesToAnotherOne(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*world, *actor){
		"not registered any more": func(w *world, a *actor) {
			w.agents.mu.Lock()
			defer w.agents.mu.Unlock()
			delete(w.agents.actors, a.name)
		},
		"unavailable": func(_ *world, a *actor) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.status = registry.StatusUnavailable
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := append(threeInAChain(), turns("smith", "tales", "reference", "code", "artifact"))
			var w *world
			play := list[0].play
			list[0].play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
				leave(w, list[1])
				return play(ctx, m, say)
			}
			w = newWorld(t, list...)
			task, log := w.awaitEnd(w.submit(chained()).ID)
			if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Plan.Steps[1].Agent != "smith" {
				t.Fatalf("state %s (%+v), the second step by %s, want completed, by smith; log %v", task.State, task.Error, task.Plan.Steps[1].Agent, log)
			}
			if d := w.task(task.Plan.Steps[1].TaskID).Decision; d.Chosen != "smith" || len(d.Rejected) != 1 || d.Rejected[0].Agent != "coder" {
				t.Errorf("Decision = %+v, want smith, and why not coder", d)
			}
		})
	}
}

func TestNobodyStepsInWhoDoesNotMakeTheSame(t *testing.T) {
	t.Parallel()
	picky := withASpare()
	picky[1].inputs[0].JSONSchema = map[string]any{"type": "object"}
	picky[3].outputs[0].JSONSchema = map[string]any{"type": "string"}
	maybe := withASpare()
	maybe[3].outputs[0].Guaranteed = false
	for name, list := range map[string][]*actor{
		"what it makes is called otherwise":     append(threeInAChain(), turns("spare", "idea", "comment", "sketches", "reference")),
		"it does not always make it":            maybe,
		"it needs what is not there":            append(threeInAChain(), turns("spare", "code", "artifact", "stories", "reference")),
		"what it makes the next one cannot use": picky,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list[0].down = 1000
			w := newWorld(t, list...)
			task, log := w.awaitEnd(w.submit(chained()).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || len(list[3].sends()) != 0 {
				t.Errorf("state %s, and the spare one got %d messages, want failed and none; log %v", task.State, len(list[3].sends()), log)
			}
		})
	}
}

// TestWhoSteppedInDoesNotReviewWhatItMade has the next agent be reviewed by who stepped in for the one before.
func TestWhoSteppedInDoesNotReviewWhatItMade(t *testing.T) {
	t.Parallel()
	list := withASpare()
	list[0].down = 1000
	list[1].requirements = []agentcard.ConsultationRequirement{{ID: "r", TargetAgent: "spare", Phase: "pre-execution", Mandatory: true}}
	w := newWorld(t, list...)
	task, _ := w.await(w.submit(chained()).ID)
	if _, err := w.engine.Consult(t.Context(), tenant, task.Plan.Steps[1].TaskID, "r", nil, consultation.Request{}); fault.ReasonOf(err) != "SELF_REVIEW" {
		t.Errorf("Consult() = %v, want SELF_REVIEW", err)
	}
}

func TestAnotherAgentStepsInForOneOfAFanOut(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*actor){
		"that cannot be reached":  func(a *actor) { a.down = 1000 },
		"that wants a credential": func(a *actor) { a.play = denies },
	} {
		for _, f := range []orchestrator.FanOut{{Mode: orchestrator.PlanAll, Agents: 2}, {Mode: orchestrator.PlanK, K: 2, Agents: 2}, {Mode: orchestrator.PlanAny, Agents: 1}} {
			t.Run(name+" "+f.Mode, func(t *testing.T) {
				t.Parallel()
				var list []*actor
				for i, name := range []string{"a", "b", "c", "d"} { // they are chosen in this order
					list = append(list, &actor{name: name, skill: "work", load: 3 * i, play: delivers("done")})
				}
				leave(list[0])
				leave(list[2])
				w := newWorld(t, list...)
				task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &f}}).ID)
				if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != f.Agents {
					t.Fatalf("state %s (%+v) with %d artifacts, want completed with %d; log %v", task.State, task.Error, len(task.Artifacts), f.Agents, log)
				}
				var who []string
				for i, s := range task.Plan.Steps {
					who = append(who, s.Agent)
					if child := w.task(s.TaskID); child.Agent != s.Agent {
						t.Errorf("step %d is of %s, and its task of %s", i+1, s.Agent, child.Agent)
					}
				}
				if slices.Sort(who); len(slices.Compact(who)) != len(task.Plan.Steps) {
					t.Errorf("the steps are done by %v, want each by another agent", who)
				}
				if sends := w.task(task.Plan.Steps[0].TaskID).Attempts[0].Sends; sends > 3 {
					t.Errorf("a was tried %d times though another one can step in, want 3 at most", sends)
				}
				if !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.Contains(e.Detail, "does it instead of a") }) {
					t.Errorf("the log does not say who does it instead: %v", log)
				}
			})
		}
	}
}

// TestNobodyStepsInForWorkThatMayBeDone has a fan-out to an agent whose work must not be done twice, and which may have begun it.
func TestNobodyStepsInForWorkThatMayBeDone(t *testing.T) {
	t.Parallel()
	first, spare := &actor{name: "a", skill: "work", once: true, down: 1000}, &actor{name: "b", skill: "work", load: 3, play: delivers("done")}
	w := newWorld(t, first, spare)
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: 1}}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || len(spare.sends()) != 0 {
		t.Errorf("state %s, and the spare one got %d messages, want failed and none; log %v", task.State, len(spare.sends()), log)
	}
}

func denies(context.Context, *a2apb.Message, agentclient.Each) error {
	return fault.New(fault.FailedPrecondition, agentclient.ReasonDenied, "it wants a credential")
}

// TestNobodyStepsInWhoDoesNotTakeTheInputs has a fan-out to an agent that is away. The next best wants an input that the task does not have.
func TestNobodyStepsInWhoDoesNotTakeTheInputs(t *testing.T) {
	t.Parallel()
	away := &actor{name: "a", skill: "work", down: 1000}
	picky := &actor{name: "b", skill: "work", load: 3, inputs: []agentcard.InputSchema{{Name: "spec", SemanticType: "document", Required: true}}, play: delivers("done")}
	w := newWorld(t, away, picky, &actor{name: "c", skill: "work", load: 6, play: delivers("done")})
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: 1}}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Plan.Steps) != 2 || task.Plan.Steps[1].Agent != "c" {
		t.Errorf("state %s (%+v) with the steps %+v, want completed by c instead of a; log %v", task.State, task.Error, task.Plan.Steps, log)
	}
}

// TestAStepGoesToAnAgentThatTakesItsInputs has the agents of two steps take only what is shorter than what they are given, and so has one that could stand in for
// the first and, unlike the one that does, is not full.
func TestAStepGoesToAnAgentThatTakesItsInputs(t *testing.T) {
	t.Parallel()
	list := append(withASpare(), turns("z-coder", "tales", "reference", "code", "artifact"), turns("choosy", "thought", "comment", "stories", "reference"))
	short := []agentcard.ValidationRule{{Type: "length", Value: 3.0, Message: "too long"}}
	list[0].inputs[0].ValidationRules, list[1].inputs[0].ValidationRules, list[5].inputs[0].ValidationRules = short, short, short
	list[3].load = 10
	w := newWorld(t, list...)
	s := chained()
	s.Tenant, s.Caller, s.Message = tenant, "tester", text("do it")
	dry, err := w.engine.Resolve(t.Context(), s)
	if err != nil || len(dry.Chain) != 3 || dry.Chain[0].Agent != "spare" || !slices.ContainsFunc(dry.Rejected, func(r orchestrator.Rejection) bool {
		return r.Agent == "analyst" && r.Code == "INPUT_INVALID"
	}) {
		t.Errorf("Resolve() = %+v, %v, want a chain that begins with spare, and analyst rejected with INPUT_INVALID", dry, err)
	}
	task, log := w.awaitEnd(w.submit(s).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("state %s (%+v), want completed; log %v", task.State, task.Error, log)
	}
	if got, want := task.Artifacts[0].GetParts()[0].GetText(), "builder(z-coder(spare(a shop)))"; got != want {
		t.Errorf("delivered %q, want %q", got, want)
	}
	for _, a := range list[:2] {
		if n := len(a.sends()); n > 0 {
			t.Errorf("%s got %d messages, want none", a.name, n)
		}
	}
	list[3].inputs[0].ValidationRules = short
	if _, err := newWorld(t, list...).engine.Submit(t.Context(), s); fault.ReasonOf(err) != "INPUT_INVALID" {
		t.Errorf("Submit() when nobody takes the input = %v, want INPUT_INVALID", err)
	}
}

// TestAStepForWhichNobodyCanStepInIsTriedAsOftenAsAnyTask has an agent of a fan-out, and one of a chain, be away for a while.
func TestAStepForWhichNobodyCanStepInIsTriedAsOftenAsAnyTask(t *testing.T) {
	t.Parallel()
	alike := func(name string) *actor { return &actor{name: name, skill: "work", play: delivers("done")} }
	for name, test := range map[string]struct {
		list []*actor
		s    engine.Submission
	}{
		"of a fan-out": {[]*actor{alike("a"), alike("b")}, engine.Submission{Route: toAll}}, "of a chain": {threeInAChain(), chained()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.list[0].down = 7
			w := newWorld(t, test.list...)
			task, log := w.awaitEnd(w.submit(test.s).ID)
			if a := w.task(task.Plan.Steps[0].TaskID).Attempts; len(a) != 1 || a[0].Sends != 8 || a[0].Error != nil {
				t.Errorf("state %s (%+v), the attempts of the first step are %+v, want one in which the eighth try succeeds; log %v", task.State, task.Error, a, log)
			}
		})
	}
}
