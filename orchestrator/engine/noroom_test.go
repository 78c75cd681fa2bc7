package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestATaskEndsWhosePlanDoesNotFit has attributes leave room for the end of a task, and not for which tasks its steps are.
func TestATaskEndsWhosePlanDoesNotFit(t *testing.T) {
	t.Parallel()
	var agents []*actor
	for i := range 8 {
		agents = append(agents, &actor{name: fmt.Sprint("agent-", i), skill: "work", play: until})
	}
	w := newWorld(t, agents...)
	task, _ := w.submitFull(orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 4}})
	got, log := w.awaitEnd(task.ID)
	if got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "ITEM_TOO_LARGE" {
		t.Errorf("state %s (%+v), want failed since it is too large; log %v", got.State, got.Error, log)
	}
	for _, step := range got.Plan.Steps {
		if child, _ := w.awaitEnd(step.TaskID); child.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Errorf("the task of agent %s is in state %s, want it canceled", step.Agent, child.State)
		}
	}
}

// until works for as long as it may.
func until(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
	<-ctx.Done()
	return ctx.Err()
}

// submitFull submits a task that has room for its end, and for little else, because of a note.
func (w *world) submitFull(route orchestrator.Route) (task orchestrator.Task, note string) {
	w.t.Helper()
	err := errors.ErrUnsupported
	for size := 350_000; err != nil; size -= 50 { // until it just fits
		note = strings.Repeat("x", size)
		task, err = w.engine.Submit(w.t.Context(), noted(route, note))
	}
	return task, note
}

func noted(route orchestrator.Route, note string) engine.Submission {
	return engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: route, Attributes: consultation.Attributes{"note": note}}
}

// TestATaskEndsWhoseFailureDoesNotFit has an agent fail with more words than there is room for. A task whose end cannot be written is sent again and again.
func TestATaskEndsWhoseFailureDoesNotFit(t *testing.T) {
	t.Parallel()
	a := &actor{name: "agent", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
		return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "%s", strings.Repeat("<", 8000))
	}}
	w := newWorld(t, a, &actor{name: "other", play: until})
	_, note := w.submitFull(orchestrator.Route{Agent: "other"})
	got, log := w.awaitEnd(w.submit(noted(orchestrator.Route{Agent: a.name}, note[1000:])).ID)
	if got.State != a2apb.TaskState_TASK_STATE_FAILED || got.Error.Reason != "ITEM_TOO_LARGE" || len(a.sends()) != 1 {
		t.Errorf("state %s (%+v) after the agent got %d messages, want failed since it is too large after one; log %v", got.State, got.Error, len(a.sends()), log)
	}
}

// cramped is a store that has no room for artifacts of a task with a plan.
type cramped struct{ orchestrator.Store }

func (s cramped) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	return s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		events, err := change(t)
		if err == nil && t.Plan != nil && len(t.Artifacts) > 0 {
			return nil, fault.Invalid("task", "ITEM_TOO_LARGE", "the task is too large")
		}
		return events, err
	})
}

// TestATaskIsCanceledThoughItHasNoRoomForWhatItsStepsMade has a step completed, and another one not, when the task is canceled.
func TestATaskIsCanceledThoughItHasNoRoomForWhatItsStepsMade(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, func(w *world) {
		w.before = func(s orchestrator.Store) orchestrator.Store { return cramped{s} }
	}, &actor{name: "quick", skill: "work", play: delivers("done")}, &actor{name: "slow", skill: "work", play: until})
	id := w.submit(engine.Submission{Route: toAll}).ID
	k := orchestrator.Key{Tenant: tenant, ID: id}
	_, err := w.engine.Watch(t.Context(), k, 0, true, func(e orchestrator.Event) error {
		if !strings.Contains(e.Detail, "completed") {
			return nil
		}
		_, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"})
		return errors.Join(err, context.Canceled)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("Cancel() = %v", err)
	}
	got, log := w.awaitEnd(id)
	if got.State != a2apb.TaskState_TASK_STATE_CANCELED || got.Plan.Completed() != 1 || len(got.Artifacts) > 0 {
		t.Errorf("state %s (%+v) with the plan %+v and %d artifacts, want canceled with one step completed; log %v", got.State, got.Error, got.Plan, len(got.Artifacts), log)
	}
}

// TestAnErrorOfAnyLengthEndsItsTask has the exchange with an agent fail for a reason that no store takes. A task whose end cannot be written is sent
// again and again.
func TestAnErrorOfAnyLengthEndsItsTask(t *testing.T) {
	for name, kind := range map[string]fault.Kind{"for good": fault.FailedPrecondition, "for now": fault.Unavailable} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			a := &actor{name: "agent"}
			a.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
				sent++
				if sent > 1 {
					kind = fault.FailedPrecondition
				}
				reason := agentclient.ReasonRefused
				if kind == fault.Unavailable {
					reason = agentclient.ReasonUnreachable
				}
				return fault.New(kind, reason, "%s", strings.Repeat("é", 1<<20))
			}
			w := newWorld(t, a)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != agentclient.ReasonRefused || !strings.HasPrefix(task.Error.Message, "éé") || sent > 2 {
				t.Errorf("state %s, error %s with %d bytes, sent %d times, want it failed", task.State, task.Error.Reason, len(task.Error.Message), sent)
			}
		})
	}
}

// narrow is a store that never takes what an agent has said so far.
type narrow struct{ orchestrator.Store }

func (s narrow) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	return s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		events, err := change(t)
		if a := t.OpenAttempt(); err == nil && a != nil && a.RemoteTaskID != "" {
			return nil, fault.Invalid("task", "ITEM_TOO_LARGE", "the task is too large")
		}
		return events, err
	})
}

// TestWhatNoStoreTakesEndsItsTask has an agent work on a task, and say what no store takes.
func TestWhatNoStoreTakesEndsItsTask(t *testing.T) {
	a := &actor{name: "agent"}
	a.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		task := &a2apb.Task{Id: "r1", ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING}}
		a.remember(task)
		if err := say(snapshotOf(task)); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	w := newWorld(t, a)
	w.before = func(s orchestrator.Store) orchestrator.Store { return narrow{s} }
	w.restart()
	ended, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if ended.State != a2apb.TaskState_TASK_STATE_FAILED || ended.Error.Reason != "ITEM_TOO_LARGE" || len(a.sends()) != 1 {
		t.Errorf("state %s, error %+v, sent %d times, want it failed at once", ended.State, ended.Error, len(a.sends()))
	}
}

// TestATaskEndsHoweverMuchItsAgentsSay has a hundred agents take the place of each other, each of which turns Quorate away with as many words as are kept.
func TestATaskEndsHoweverMuchItsAgentsSay(t *testing.T) {
	t.Parallel()
	const agents = 100
	for name, test := range map[string]struct {
		fanOut *orchestrator.FanOut
		reason string
	}{"of one agent": {nil, agentclient.ReasonDenied}, "of a fan-out": {&orchestrator.FanOut{Mode: orchestrator.PlanAny, Agents: 20}, "STEPS_FAILED"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []*actor
			for i := range agents {
				list = append(list, &actor{name: fmt.Sprintf("agent-%02d", i), skill: "work", play: func(context.Context, *a2apb.Message, agentclient.Each) error {
					return fault.New(fault.FailedPrecondition, agentclient.ReasonDenied, "%s", strings.Repeat("no, ", 1000))
				}})
			}
			w := newWorld(t, list...)
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: test.fanOut}}).ID)
			tried := len(task.Attempts)
			if task.Plan != nil {
				tried = len(task.Plan.Steps)
			}
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != test.reason || tried != agents {
				t.Errorf("state %s (%s) after %d agents were tried, want failed with %s after %d", task.State, task.Error.Reason, tried, test.reason, agents)
			}
		})
	}
}

// TestATaskEndsWhoseGateDoesNotFit has attributes leave room for the end of a task, and not for the verdict of its gate.
func TestATaskEndsWhoseGateDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"pre-execution", "pre-completion"} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement(phase)}, &actor{name: "reviewer"})
			attributes := consultation.Attributes{"sensitive": true}
			for i := range 60 {
				attributes[fmt.Sprint("note-", i)] = strings.Repeat("x", 5810)
			}
			task, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: attributes}).ID)
			if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "ITEM_TOO_LARGE" || task.Released && len(task.Artifacts) > 0 {
				t.Errorf("state %s (%+v), released %t, want failed since it is too large, and what was delivered held back; log %v", task.State, task.Error, task.Released, log)
			}
		})
	}
}

// TestAGateOpensHoweverMuchIsSaid has a reviewer record those of its verdicts that are only recommended as often as it may, in words that grow when they are stored.
func TestAGateOpensHoweverMuchIsSaid(t *testing.T) {
	t.Parallel()
	web := &actor{name: "web", play: delivers("the page")}
	for i := range 5 {
		web.requirements = append(web.requirements, agentcard.ConsultationRequirement{ID: fmt.Sprintf("r%d", i), TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: i == 0})
	}
	w := newWorld(t, web, &actor{name: "reviewer", play: delivers("x")})
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}}).ID)
	for _, id := range []string{"r4", "r3", "r2", "r1", "r0"} {
		c, _, err := w.engine.ConsultDirectly(t.Context(), tenant, task.ID, id, nil, consultation.Request{})
		if err != nil {
			t.Fatalf("ConsultDirectly(%s) = %v", id, err)
		}
		for i := range map[bool]int{false: 16, true: 1}[id == "r0"] {
			if err := w.ledger.Record(t.Context(), consultation.Recorder{Tenant: tenant, Agent: "reviewer"}, consultation.Claim{
				TraceID: c.TraceID, SpanID: fmt.Sprintf("00f067aa0ba9%04d", i+1), ServiceName: "reviewer", ConsultationID: c.ID, TaskID: c.TaskID,
				RequirementID: id, Phase: c.Phase, SourceAgent: "web", TargetAgent: "reviewer", Outcome: "approved", Feedback: strings.Repeat("<", 1024),
				SubjectDigest: c.SubjectDigest, Attempt: c.Attempt, SchemaVersion: 1,
			}); err != nil {
				t.Fatalf("Record(%s, %d) = %v", id, i, err)
			}
		}
	}
	task, _ = w.awaitEnd(task.ID)
	verdicts := task.Gates[0].Requirements
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(verdicts) != 5 || len(verdicts[4].Evidence) != 0 || !strings.HasPrefix(verdicts[4].Reason, `Requirement "r4" is met`) {
		t.Errorf("state %s, %d verdicts, the last with %d pieces of evidence and the reason %.60q, want the task completed, and of each verdict the reason",
			task.State, len(verdicts), len(verdicts[4].Evidence), verdicts[4].Reason)
	}
}
