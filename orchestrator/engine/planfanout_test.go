package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

func TestFanOut(t *testing.T) {
	tests := map[string]struct {
		fanOut orchestrator.FanOut
		good   int // of four agents
		state  a2apb.TaskState
		made   int // artifacts, at least
	}{
		"all of them":                          {orchestrator.FanOut{Mode: orchestrator.PlanAll}, 4, a2apb.TaskState_TASK_STATE_COMPLETED, 4},
		"all, when one fails, keeps the rest":  {orchestrator.FanOut{Mode: orchestrator.PlanAll}, 3, a2apb.TaskState_TASK_STATE_FAILED, 3},
		"any of them":                          {orchestrator.FanOut{Mode: orchestrator.PlanAny}, 1, a2apb.TaskState_TASK_STATE_COMPLETED, 1},
		"any, when none does":                  {orchestrator.FanOut{Mode: orchestrator.PlanAny}, 0, a2apb.TaskState_TASK_STATE_FAILED, 0},
		"two of four":                          {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}, 2, a2apb.TaskState_TASK_STATE_COMPLETED, 2},
		"two of four, when one does, keeps it": {orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}, 1, a2apb.TaskState_TASK_STATE_FAILED, 1},
		"no more than are wanted":              {orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 2}, 4, a2apb.TaskState_TASK_STATE_COMPLETED, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var list []*actor
			fail := make(chan struct{}) // once the good ones are done
			for i := range 4 {
				a := &actor{name: fmt.Sprintf("agent%d", i), skill: "work", play: after(fail, fails("cannot"))}
				if i < test.good {
					a.play = delivers("done")
				}
				list = append(list, a)
			}
			w := newWorld(t, list...)
			id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &test.fanOut}}).ID
			w.awaitCompleted(id, test.good)
			close(fail)
			task, log := w.awaitEnd(id)
			if task.State != test.state || len(task.Artifacts) < test.made {
				t.Errorf("state %s (%v) with %d artifacts, want %s with %d; log %v", task.State, task.Error, len(task.Artifacts), test.state, test.made, log)
			}
			if want := max(test.fanOut.Agents, 4-4*min(test.fanOut.Agents, 1)); len(task.Decision.FanOut) != want || len(task.Plan.Steps) != want {
				t.Errorf("the decision is %v and the plan has %d steps, want %d", task.Decision.FanOut, len(task.Plan.Steps), want)
			}
		})
	}
}

func TestAFanOutThatCannotBeIsRefused(t *testing.T) {
	w := newWorld(t, &actor{name: "one", skill: "work", play: delivers("done")})
	for name, test := range map[string]struct {
		route  orchestrator.Route
		reason string
	}{
		"more than there are":     {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK, K: 2}}, "FAN_OUT_TOO_FEW"},
		"a named agent":           {orchestrator.Route{Agent: "one", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}, "FAN_OUT_NAMED"},
		"more than the limit":     {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 21}}, "FAN_OUT_SIZE"},
		"more than are asked for": {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK, K: 3, Agents: 2}}, "FAN_OUT_SIZE"},
		"no number":               {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanK}}, "FAN_OUT_SIZE"},
		"a number without k_of_n": {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, K: 1}}, "FAN_OUT_MODE"},
		"an unknown mode":         {orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: "most"}}, "FAN_OUT_MODE"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: test.route, Deadline: time.Now().Add(time.Minute)})
			if fault.ReasonOf(err) != test.reason {
				t.Errorf("Submit() = %v, want %s", err, test.reason)
			}
			d, told := w.engine.Resolve(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Route: test.route})
			if fault.KindOf(err) == fault.InvalidArgument && fault.ReasonOf(told) != test.reason {
				t.Errorf("Resolve() = %+v, %v, want the error of Submit", d, told)
			}
			if fault.KindOf(err) != fault.InvalidArgument && (told != nil || d.Refused != fault.From(err).Message) {
				t.Errorf("Resolve() = %+v, %v, want a refusal that says %v", d, told, err)
			}
		})
	}
}

func TestWhatAFanOutDoesNotNeedIsCanceled(t *testing.T) {
	slow := &actor{name: "slow", skill: "work"}
	slow.play = func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, slow, &actor{name: "quick", skill: "work", play: delivers("done")})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAny}}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "quick/a" {
		t.Fatalf("state %s, artifacts %v, want completed with what the quick one made", task.State, task.Artifacts)
	}
	i := slices.IndexFunc(task.Plan.Steps, func(s orchestrator.Step) bool { return s.Agent == "slow" })
	rest, _ := w.awaitEnd(task.Plan.Steps[i].TaskID)
	if rest.State != a2apb.TaskState_TASK_STATE_CANCELED {
		t.Errorf("the other step's task is %s, want canceled", rest.State)
	}
}

func TestWhatIsLeftOfAFanOutThatIsLostIsCanceled(t *testing.T) {
	never, fail := make(chan struct{}), make(chan struct{})
	w := newWorld(t, &actor{name: "quick", skill: "work", play: delivers("done")}, &actor{name: "slow", skill: "work", play: after(never, delivers("done"))},
		&actor{name: "bad", skill: "work", play: after(fail, fails("cannot"))})
	id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID
	w.awaitCompleted(id, 1)
	close(fail)
	task, log := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "STEPS_FAILED" || !strings.Contains(task.Error.Message, "3 of 3 steps had to be completed and 1 are: ") {
		t.Errorf("state, error = %s, %+v, want failed; log %v", task.State, task.Error, log)
	}
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "quick/a" {
		t.Errorf("artifacts %v, want what the quick one made", task.Artifacts)
	}
	i := slices.IndexFunc(task.Plan.Steps, func(s orchestrator.Step) bool { return s.Agent == "slow" })
	if rest, _ := w.awaitEnd(task.Plan.Steps[i].TaskID); rest.State != a2apb.TaskState_TASK_STATE_CANCELED || task.Plan.Steps[i].State != rest.State {
		t.Errorf("the slow one's task is %s, and %s in the plan, want canceled", rest.State, task.Plan.Steps[i].State)
	}
}

// TestWhatIsCompletedJustBeforeItIsCanceledIsKept has a step end by itself when the end of its fan-out is on the way to it.
func TestWhatIsCompletedJustBeforeItIsCanceledIsKept(t *testing.T) {
	finish := make(chan struct{})
	w := newWorld(t, &actor{name: "bad", skill: "work", play: fails("cannot")}, &actor{name: "slow", skill: "work", play: after(finish, delivers("done"))})
	w.before = func(s orchestrator.Store) orchestrator.Store {
		return &overtakenCancel{Store: s, overtake: sync.OnceFunc(func() { close(finish) })}
	}
	w.restart()
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}}}).ID)
	if len(task.Artifacts) != 1 || task.Artifacts[0].GetArtifactId() != "slow/a" || task.Plan.Completed() != 1 || !strings.Contains(task.Error.Message, "and 1 are: ") {
		t.Errorf("artifacts %v, error %+v, plan %+v, want what the slow one made; log %v", task.Artifacts, task.Error, task.Plan, log)
	}
}

// overtakenCancel is a store in which a task ends by itself before the wish for its end is written.
type overtakenCancel struct {
	orchestrator.Store
	overtake func()
}

func (s *overtakenCancel) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	canceled := errors.New("the wish for its end is on the way")
	t, err := s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		before := t.CancelAsked
		events, err := change(t)
		if t.CancelAsked && !before {
			return nil, canceled
		}
		return events, err
	})
	if !errors.Is(err, canceled) {
		return t, err
	}
	s.overtake()
	for t, err = s.Task(ctx, k); err == nil && !t.Ended(); t, err = s.Task(ctx, k) {
		runtime.Gosched()
	}
	if err != nil {
		return t, err
	}
	return s.Store.Update(ctx, k, change)
}

// TestEachOfAFanOutIsGivenTheInputsAsItsOwn has agents with names of their own for one input.
func TestEachOfAFanOutIsGivenTheInputsAsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, turns("a", "idea", "comment", "report", "reference"), turns("b", "brief", "comment", "report", "reference"))
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: toAll, Inputs: []orchestrator.Input{{Name: "wish", SemanticType: "comment", Parts: text("a shop").GetParts()}}}).ID)
	var made []string
	for _, a := range task.Artifacts {
		made = append(made, a.GetParts()[0].GetText())
	}
	if want := []string{"a(a shop)", "b(a shop)"}; task.State != a2apb.TaskState_TASK_STATE_COMPLETED || !slices.Equal(made, want) {
		t.Errorf("state %s (%+v) with %q, want completed with %q; log %v", task.State, task.Error, made, want, log)
	}
}

// TestWhatAStepThatFailedMadeIsNotTheTasks has an agent of a fan-out fail with half of its work.
func TestWhatAStepThatFailedMadeIsNotTheTasks(t *testing.T) {
	t.Parallel()
	halfway := &actor{name: "b", skill: "work", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r", a2apb.TaskState_TASK_STATE_FAILED, "no more", "half"))
	}}
	w := newWorld(t, &actor{name: "a", skill: "work", play: delivers("done")}, halfway)
	id := w.submit(engine.Submission{Route: toAll}).ID
	task, log := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || len(task.Artifacts) > 1 || len(task.Artifacts) == 1 && task.Artifacts[0].GetParts()[0].GetText() != "done" {
		t.Errorf("state %s with %v, want failed with what the other agent made, at most; log %v", task.State, task.Artifacts, log)
	}
	if child := w.task(task.Plan.Steps[1].TaskID); len(child.Artifacts) != 1 {
		t.Errorf("the task of the step that failed has %v, want what its agent made", child.Artifacts)
	}
}
