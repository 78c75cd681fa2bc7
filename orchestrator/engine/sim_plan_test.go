package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestAChainIsCompletedWhereverItBreaks runs a chain's life once for every call to the store and every kind of mishap: it is completed once, and each
// of its agents, which deduplicate, did its work once.
func TestAChainIsCompletedWhereverItBreaks(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]chainScene{"slow agents": {}, "quick agents": {quick: true}, "one agent away": {away: "first"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wherever(t, 15, scene.play)
		})
	}
}

// TestAFanOutIsCompletedWhereverItBreaks has another agent step in for one that is away: two of three did the work, once each.
func TestAFanOutIsCompletedWhereverItBreaks(t *testing.T) {
	t.Parallel()
	wherever(t, 15, func(t *testing.T, x *trouble) {
		t.Helper()
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, away: "away", actors: map[string]*actor{
			"away": {name: "away", skill: "work"}, "first": {name: "first", skill: "work", load: 3}, "second": {name: "second", skill: "work", load: 6},
		}}
		s.meet(x)
		s.start()
		task := s.insist(x.String(), func() (orchestrator.Task, error) {
			return s.engine.Submit(t.Context(), engine.Submission{
				Tenant: tenant, Caller: "tester", Message: text("do it"), RequestID: "r",
				Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 2}},
			})
		})
		s.minutes(30)
		s.stop()
		s.store.Fail = nil
		got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(got.Artifacts) != 2 || len(got.Plan.Steps) != 3 {
			t.Errorf("%s: the task is in state %s (%+v) with %d artifacts and the plan %+v, %v, want completed with 2", x, got.State, got.Error, len(got.Artifacts), got.Plan, err)
		}
		for id, n := range w.done {
			if n != 1 || len(w.done) != 2 {
				t.Errorf("%s: message %s of %d was worked on %d times, want two messages, once each", x, id, len(w.done), n)
			}
		}
	})
}

// prompt is a worker that has done its work when it answers.
type prompt struct{ *worker }

func (p prompt) Send(_ context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	id := m.GetMessageId()
	p.mu.Lock()
	p.sends = append(p.sends, id)
	if p.tasks["remote-"+id] == nil {
		p.done[id]++
		p.tasks["remote-"+id] = remoteTask("remote-"+id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
	}
	p.mu.Unlock()
	return each(snapshot("remote-"+id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
}

// chainScene is a task that two agents do one after the other, and another one when one of them is away.
type chainScene struct {
	quick bool // who works has done so when it answers
	away  string
}

func (c chainScene) play(t *testing.T, x *trouble) {
	t.Helper()
	w := newWorker()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, away: c.away, actors: map[string]*actor{
		"first": turns("first", "idea", "comment", "plan", "reference"), "second": turns("second", "plan", "reference", "site", "collection"),
		"spare": turns("spare", "thought", "comment", "plan", "reference"),
	}}
	if c.quick {
		s.client = prompt{w}
	}
	s.meet(x)
	s.start()
	submission := chained()
	submission.Attributes = consultation.Attributes{} // as the API gives them
	submission.Tenant, submission.Caller, submission.Message, submission.RequestID = tenant, "tester", text("do it"), "r"
	task := s.insist(x.String(), func() (orchestrator.Task, error) { return s.engine.Submit(t.Context(), submission) })
	s.minutes(30)
	s.stop()
	s.store.Fail = nil
	s.checkChain(x.String(), task)
}

func (s *simulation) checkChain(when string, task orchestrator.Task) {
	t, w, ctx := s.t, s.worker, s.t.Context()
	got, err := s.store.Task(ctx, orchestrator.Key{Tenant: tenant, ID: task.ID})
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(got.Artifacts) != 1 {
		t.Errorf("%s: the task is in state %s (%+v) with %d artifacts, %v, want completed with 1", when, got.State, got.Error, len(got.Artifacts), err)
	}
	for i, step := range got.Plan.Steps {
		if child, err := s.store.Task(ctx, orchestrator.Key{Tenant: tenant, ID: step.TaskID}); err != nil || child.Agent != step.Agent || child.Agent == s.away {
			t.Errorf("%s: step %d is shown as that of %s, and its task is that of %q, %v, want the same, who is not away", when, i+1, step.Agent, child.Agent, err)
		}
	}
	log, err := s.store.Events(ctx, orchestrator.Key{Tenant: tenant, ID: task.ID}, 0, 1000)
	if err != nil || count(log, orchestrator.EventState) != 1 {
		t.Errorf("%s: the log has %d ends, %v, want 1", when, count(log, orchestrator.EventState), err)
	}
	for id, n := range w.done {
		if n != 1 || len(w.done) != 2 {
			t.Errorf("%s: message %s of %d was worked on %d times, want two messages, once each", when, id, len(w.done), n)
		}
	}
}

// TestAStepThatBeganIsShownSoWhenItsTaskIsCanceledBeforeThatWasNoted has the process die right after a step's task was accepted.
func TestAStepThatBeganIsShownSoWhenItsTaskIsCanceledBeforeThatWasNoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		w.takes = time.Hour
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, actors: map[string]*actor{"one": {name: "one", skill: "work"}}}
		var begun, died bool
		s.store.Written = func(t orchestrator.Task) { begun = begun || t.Parent != nil }
		s.store.Fail = func(int) (before, after error) {
			if begun && !died {
				died = true
				s.kill()
				return errDead, nil
			}
			return nil, nil
		}
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: toAll})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !died {
			t.Fatal("the process is alive, want it to have died when the step's task was accepted")
		}
		s.running.Wait()
		s.store.Reread()
		work := s.boot()
		k := orchestrator.Key{Tenant: tenant, ID: task.ID}
		if now, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil || stepRuns(&now, 0) {
			t.Fatalf("Cancel() = %+v, %v, want the step not noted yet", now.Plan, err)
		}
		work()
		s.minutes(10)
		s.stop()
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Fatalf("the task is in state %s, %v, want canceled", got.State, err)
		}
		step := got.Plan.Steps[0]
		child, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: step.TaskID})
		if err != nil || child.State != step.State || child.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Errorf("the step is %+v and its task in state %s, %v, want both canceled", step, child.State, err)
		}
	})
}
