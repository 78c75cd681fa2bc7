package engine_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestACanceledTaskKeepsWhatWasDelivered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rules []agentcard.ConsultationRequirement
		kept  int
	}{
		"freely":                      {nil, 1},
		"unless it is to be reviewed": {[]agentcard.ConsultationRequirement{{ID: "review", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			delivered := make(chan struct{})
			w := newWorld(t, &actor{name: "agent", requirements: test.rules, play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "half")); err != nil {
					return err
				}
				close(delivered)
				<-ctx.Done()
				return context.Cause(ctx)
			}})
			id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
			<-delivered
			if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			task, log := w.awaitEnd(id)
			if task.State != a2apb.TaskState_TASK_STATE_CANCELED || len(task.Artifacts) != test.kept {
				t.Errorf("state %s with artifacts %v, want canceled with %d; log %v", task.State, task.Artifacts, test.kept, log)
			}
			if said := slices.ContainsFunc(log, keepsOf("agent")); said != (test.kept > 0) {
				t.Errorf("the log says that something is kept: %t; log %v", said, log)
			}
		})
	}
}

// TestACanceledTaskKeepsTheResultThatWasHeard cancels a task between the end of the agent's task and that of its answer.
func TestACanceledTaskKeepsTheResultThatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &actor{name: "lingers", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
			err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "whole"))
			<-ctx.Done()
			return err
		}})
		s.start()
		k := s.accept("lingers", "r")
		synctest.Wait()
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(time.Second)
		s.stop()
		if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_CANCELED || len(task.Artifacts) != 1 {
			t.Errorf("Task() = state %s with artifacts %v, %v, want canceled with what was heard", task.State, task.Artifacts, err)
		}
		if log, err := s.store.Events(t.Context(), k, 0, 100); err != nil || !slices.ContainsFunc(log, keepsOf("lingers")) {
			t.Errorf("Events() = %v, %v, want one that says what is kept", log, err)
		}
	})
}

func TestATaskThatRunsOutOfTimeKeepsWhatWasDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &breaking{worker: newWorker()}
		agent.shows = func(time.Duration) (*a2apb.Task, error) {
			return remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it"), nil
		}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: agent.worker, client: agent}
		s.start()
		<-time.After(time.Second)
		k := s.submit("r")
		<-time.After(orchestrator.DefaultDeadline + time.Minute)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.Error == nil || task.Error.Reason != "DEADLINE_EXCEEDED" || len(task.Artifacts) != 1 {
			t.Fatalf("Task() = state %s (%+v) with artifacts %v, %v, want one that ran out of time with what was delivered", task.State, task.Error, task.Artifacts, err)
		}
		if !strings.HasSuffix(task.Error.Message, "; worker had taken it, and had not ended it") {
			t.Errorf("the task ended since %q, want the agent's part in it", task.Error.Message)
		}
		if log, err := s.store.Events(t.Context(), k, 0, 100); err != nil || !slices.ContainsFunc(log, keepsOf("worker")) {
			t.Errorf("Events() = %v, %v, want one that says what is kept", log, err)
		}
	})
}

// keepsOf finds the event that says that something of an agent is kept.
func keepsOf(agent string) func(orchestrator.Event) bool {
	return func(e orchestrator.Event) bool { return e.Detail == "kept what "+agent+" had delivered; artifacts: 1" }
}

// TestWhatIsDeliveredJustBeforeTheDeadlineCounts has an agent deliver in time, and the deadline pass before that is stored.
func TestWhatIsDeliveredJustBeforeTheDeadlineCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lingers bool // the agent does not end its answer
		slow    bool // the store is
	}{
		"the agent leaves its stream open": {lingers: true},
		"the store takes long":             {slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				delivered := make(chan struct{})
				s := newStage(t, &actor{name: "agent", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					<-time.After(time.Minute - 100*time.Millisecond)
					defer close(delivered)
					if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "work")); err != nil || !test.lingers {
						return err
					}
					<-ctx.Done()
					return context.Cause(ctx)
				}})
				s.stall = func(ctx context.Context) error {
					select {
					case <-delivered:
					default:
						return nil
					}
					if !test.slow {
						return nil
					}
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-time.After(time.Second):
						return nil
					}
				}
				var logs logtest.Buffer
				s.logs = slog.NewTextHandler(&logs, nil)
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "agent"}, Deadline: time.Now().Add(time.Minute),
				})
				if err != nil {
					t.Fatalf("Submit() = %v", err)
				}
				<-time.After(2 * time.Minute)
				s.stop()
				task, err = s.store.Task(t.Context(), task.Key())
				if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 {
					t.Errorf("Task() = state %s (%+v) with artifacts %v, %v, want completed with one", task.State, task.Error, task.Artifacts, err)
				}
				if b := logs.String(); strings.Contains(b, "level=ERROR") {
					t.Errorf("the log has an error, and nothing was wrong:\n%s", b)
				}
			})
		})
	}
}

// TestAnEndThatWasHeardIsKeptByAProcessThatStops stops a process between the end of an agent's task and that of its stream. The agent would do the work
// again, or must not be asked to.
func TestAnEndThatWasHeardIsKeptByAProcessThatStops(t *testing.T) {
	t.Parallel()
	for name, once := range map[string]bool{"the work may be done twice": false, "the work must not be done twice": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := &actor{name: "lingers", once: once, play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
					err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: text("done")}})
					<-ctx.Done()
					return err
				}}
				s := newStage(t, a)
				s.start()
				k := s.accept(a.name, "r")
				synctest.Wait()
				s.stop()
				s.start()
				<-time.After(time.Minute)
				s.stop()
				got, err := s.store.Task(t.Context(), k)
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(got.Artifacts) != 1 {
					t.Errorf("the task is in state %s (%+v) with %d artifacts, %v, want completed with 1", got.State, got.Error, len(got.Artifacts), err)
				}
				if n := len(a.sends()); n != 1 {
					t.Errorf("the agent was asked %d times, want once", n)
				}
			})
		})
	}
}

// busyStore is a store that does not do the next changes of tasks.
type busyStore struct {
	orchestrator.Store
	left atomic.Int64 // how many
}

func (s *busyStore) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	if s.left.Add(-1) >= 0 {
		return orchestrator.Task{}, &fault.Error{Kind: fault.Unavailable, Reason: "STORE_THROTTLED", Message: "the store is throttled", Ours: true}
	}
	return s.Store.Update(ctx, k, change)
}

// TestAResultWaitsForTheStore has an agent do work at once that must not be done twice, and a store that does not take the result for a while.
func TestAResultWaitsForTheStore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused int64
		state   a2apb.TaskState
		reason  string
	}{
		"for a moment":               {3, a2apb.TaskState_TASK_STATE_COMPLETED, ""},
		"for longer than it is kept": {100, a2apb.TaskState_TASK_STATE_FAILED, "OUTCOME_UNKNOWN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				task, reason := submitTwice(t, &actor{name: "agent", once: true, play: delivers("done")}, func() {}, test.refused)
				if task.State != test.state || reason != test.reason {
					t.Errorf("the task ended as %s with %q, want %s with %q", task.State, reason, test.state, test.reason)
				}
			})
		})
	}
}

// submitTwice has an agent do a task, and another one while the store does not do so many changes. It returns the second one, and the reason of its error.
func submitTwice(t *testing.T, agent *actor, between func(), refused int64) (task orchestrator.Task, reason string) {
	t.Helper()
	store := &busyStore{}
	w := newWorldWith(t, func(w *world) {
		w.before = func(s orchestrator.Store) orchestrator.Store {
			store.Store = s
			return store
		}
	}, agent)
	defer w.stop()
	route := orchestrator.Route{Agent: "agent"}
	w.awaitEnd(w.submit(engine.Submission{Route: route}).ID) // there are leases from now on, so that the next task is stored together with the intent to send
	between()
	store.left.Store(refused)
	id := w.submit(engine.Submission{Route: route}).ID
	<-time.After(5 * time.Minute)
	task, log := w.awaitEnd(id)
	t.Log(log)
	if n := len(agent.sends()); n != 2 {
		t.Errorf("the agent got %d messages for two tasks, want one for each", n)
	}
	if task.Error != nil {
		reason = task.Error.Reason
	}
	return task, reason
}
