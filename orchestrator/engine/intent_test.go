package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestAnIntentThatIsNotWritten has the store not take the intent to send a message again: for a while, which is not the agent's fault, or never.
func TestAnIntentThatIsNotWritten(t *testing.T) {
	t.Parallel()
	large := fault.New(fault.InvalidArgument, "ITEM_TOO_LARGE", "the task's state is too large")
	for name, test := range map[string]struct {
		why    error
		times  int
		state  a2apb.TaskState
		reason string
	}{
		"the store is throttled":     {errLost, 10, a2apb.TaskState_TASK_STATE_COMPLETED, ""},
		"the store will not take it": {large, 1000, a2apb.TaskState_TASK_STATE_FAILED, "ITEM_TOO_LARGE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				refused := 0
				f := &flaky{worker: newWorker(), fail: func(n int) error {
					if n == 1 {
						return errAway
					}
					return nil
				}}
				s := &simulation{t: t, store: &storetest.Memory{}, worker: f.worker, client: f}
				s.refuse = func(t *orchestrator.Task) error {
					if a := t.OpenAttempt(); a == nil || a.Sends != 2 || refused == test.times {
						return nil
					}
					refused++
					return test.why
				}
				s.start()
				k := s.submit("r")
				s.minutes(5)
				s.stop()
				task, err := s.store.Task(t.Context(), k)
				log, failed := s.store.Events(t.Context(), k, 0, 1000)
				if err != nil || failed != nil || refused == 0 || task.State != test.state || task.State == a2apb.TaskState_TASK_STATE_FAILED && task.Error.Reason != test.reason {
					t.Fatalf("the task is in state %s (%+v), %v, after its intent was refused %d times, want %s %s; log %v", task.State, task.Error, err, refused, test.state, test.reason, log)
				}
				if len(f.asked) == 2 && f.asked[1].Sub(f.asked[0]) > 15*time.Second {
					t.Errorf("the agent was asked again after %s, want soon after the store took the intent: the agent is not to blame", f.asked[1].Sub(f.asked[0]))
				}
			})
		})
	}
}

// TestTheOutcomeOfWhatWasNotSentIsKnown has each call to the store fail once, in turn, in the life of a task that must not be done twice: it fails only
// if the agent may have its message.
func TestTheOutcomeOfWhatWasNotSentIsKnown(t *testing.T) {
	t.Parallel()
	atEveryCall(t, 5, func(t *testing.T, call int) bool {
		t.Helper()
		a := &actor{name: "once", once: true, play: delivers("done")}
		s, x := newStage(t, a), &trouble{kind: failsOnce, at: call}
		s.meet(x)
		s.start()
		m := text("do it")
		m.ContextId, m.ReferenceTaskIds = "a conversation", []string{orchestrator.TaskID(tenant, "tester", "earlier")}
		task := s.insist(x.String(), func() (orchestrator.Task, error) {
			return s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: m, Route: orchestrator.Route{Agent: a.name}, RequestID: "r"})
		})
		<-time.After(10 * time.Minute)
		s.stop()
		s.store.Fail = nil
		got, err := s.store.Task(t.Context(), task.Key())
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED && len(a.sends()) == 0 {
			t.Errorf("%s: the task is in state %s (%+v), %v, and the agent has no message, want it sent", x, got.State, got.Error, err)
		}
		return x.met
	})
}

// restarting is an agent that goes away once it has a message, so that nobody hears that it does, and comes back after some questions about it.
type restarting struct {
	*worker
	busy int // how often it asks to be asked later
}

func (r *restarting) Send(ctx context.Context, m *a2apb.Message, stream bool, _ agentclient.Each) error {
	_ = r.worker.Send(ctx, m, stream, func(*a2apb.StreamResponse) error { return nil })
	return errAway
}

func (r *restarting) Find(ctx context.Context, messageID string, _ time.Time) (*a2apb.Task, error) {
	if r.busy > 0 {
		r.busy--
		f := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the agent is starting")
		f.RetryAfter = time.Second
		return nil, f
	}
	return r.Task(ctx, "remote-"+messageID, 0)
}

// TestWhoCannotBeAskedForAMessageMayHaveIt has an agent that must not be asked twice be away when it is asked what became of the message.
func TestWhoCannotBeAskedForAMessageMayHaveIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: &restarting{worker: w, busy: 2}, actors: map[string]*actor{"worker": {name: "worker", once: true}}}
		s.start()
		defer s.stop()
		k := s.accept("worker", "r")
		s.pass()
		task, err := s.store.Task(t.Context(), k)
		if sent := w.sent(); err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(sent) != 1 {
			t.Errorf("the task is in state %s (%+v), %v, and the agent got %v, want it completed and sent once; attempts %+v", task.State, task.Error, err, sent, task.Attempts)
		}
	})
}
