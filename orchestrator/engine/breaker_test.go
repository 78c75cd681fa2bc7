package engine_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestATaskThatIsCanceledSaysNothingAboutItsAgent has an agent be away, and then take connections without a word. The one task that tries whether it is
// back is canceled: the others must not take that for an answer.
func TestATaskThatIsCanceledSaysNothingAboutItsAgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "away", down: 5, play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		s := newStage(t, a)
		s.start()
		defer s.stop()
		first := s.accept(a.name, "first")
		<-time.After(time.Minute)
		s.accept(a.name, "second")
		<-time.After(10 * time.Second)
		if n := len(a.sends()); n != 1 {
			t.Fatalf("the agent has %d messages while one task tries whether it is back, want 1", n)
		}
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: first, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(10 * time.Second)
		if n := len(a.sends()); n != 1 {
			t.Errorf("after that task was canceled the agent has %d messages, want no more until it is due to be tried again", n)
		}
		<-time.After(20 * time.Second)
		if n := len(a.sends()); n != 2 {
			t.Errorf("when it was due again the agent has %d messages, want 2", n)
		}
	})
}

// TestATaskThatGetsNoAnswerHoldsUpNoOther has an agent be away, and then answer all messages but the one with which a task tries whether it is back.
func TestATaskThatGetsNoAnswerHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "away", down: 5}
		a.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
			if len(a.sends()) > 1 {
				return delivers("done")(ctx, m, say)
			}
			<-ctx.Done()
			return ctx.Err()
		}
		s := newStage(t, a)
		s.start()
		defer s.stop()
		s.accept(a.name, "first")
		<-time.After(30 * time.Second)
		k := s.accept(a.name, "second")
		<-time.After(10 * time.Second)
		if n := len(a.sends()); n != 1 {
			t.Fatalf("the agent has %d messages while one task tries whether it is back, want 1", n)
		}
		<-time.After(2 * time.Minute)
		if got, err := s.store.Task(t.Context(), k); err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("after two minutes the second task is in state %s (%+v), %v, want completed", got.State, got.Error, err)
		}
	})
}

// TestAWaitingTaskThatIsAnsweredShowsThatTheAgentIsBack has an agent be away, and then answer nothing but a look at a task that waits for its caller.
func TestAWaitingTaskThatIsAnsweredShowsThatTheAgentIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "away"}
		a.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
			switch len(a.sends()) {
			case 1:
				question := snapshot("r1", a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "who are you?")
				a.remember(question.GetTask())
				return say(question)
			case 2:
				<-ctx.Done()
				return ctx.Err()
			default:
				return delivers("done")(ctx, m, say)
			}
		}
		s := newStage(t, a)
		s.start()
		defer s.stop()
		s.accept(a.name, "asks")
		<-time.After(time.Second)
		a.goAway(5)
		s.accept(a.name, "silent")
		<-time.After(30 * time.Second)
		k := s.accept(a.name, "late")
		<-time.After(20 * time.Second)
		if got, err := s.store.Task(t.Context(), k); err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("20 seconds after it was accepted the last task is in state %s (%+v), %v, want completed", got.State, got.Error, err)
		}
	})
}

// TestATaskThatWaitsForABreakerWasNotSent has an agent be away whose work must not be done twice. A task that is accepted then waits; its message, of which
// the task says that it is about to be sent, never was.
func TestATaskThatWaitsForABreakerWasNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "away", once: true, down: 5, play: delivers("done")}
		s := newStage(t, a)
		s.start()
		defer s.stop()
		<-time.After(time.Second) // the leases are there
		for n := range 5 {
			s.accept(a.name, strconv.Itoa(n))
		}
		<-time.After(time.Second)
		k := s.accept(a.name, "late")
		<-time.After(10 * time.Minute) // the five have their turns, in any order
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("once the agent is back the task is in state %s (%+v), %v, want completed", got.State, got.Error, err)
		}
	})
}

// listing is an agent that lists its tasks, of which there are none.
type listing struct{ *actor }

func (listing) Find(context.Context, string, time.Time) (*a2apb.Task, error) { return nil, nil }

// TestAnAgentThatListsItsTasksIsBack has an agent be away that is only asked what became of messages when it is back. That is an answer: the other tasks
// need not wait until one more has tried.
func TestAnAgentThatListsItsTasksIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "away", once: true, down: 5, play: delivers("done")}
		s := newStage(t, a)
		s.client = listing{a}
		s.start()
		defer s.stop()
		<-time.After(time.Second) // the leases are there
		for n := range 5 {
			s.accept(a.name, strconv.Itoa(n))
		}
		<-time.After(time.Second)
		k := s.accept(a.name, "late")
		<-time.After(40 * time.Second)
		if got, err := s.store.Task(t.Context(), k); err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("soon after the agent is back the task is in state %s (%+v), %v, want completed", got.State, got.Error, err)
		}
	})
}

// TestTasksThatWaitForAnAgentThatIsAwayWriteLittle has many of them, for two hours.
func TestTasksThatWaitForAnAgentThatIsAwayWriteLittle(t *testing.T) {
	t.Parallel()
	const tasks, hours, most = 200, 2, 20
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, away: "worker"}
		writes := 0
		s.store.Written = func(orchestrator.Task) { writes++ }
		s.start()
		var keys []orchestrator.Key
		for n := range tasks {
			keys = append(keys, s.accept("worker", strconv.Itoa(n)))
		}
		<-time.After(hours * time.Hour)
		if writes > tasks*most {
			t.Errorf("%d tasks were written %d times in %d hours, want %d times each at most", tasks, writes, hours, most)
		}
		waiting := 0
		for _, k := range keys {
			task, err := s.store.Task(t.Context(), k)
			log, failed := s.store.Events(t.Context(), k, 0, 1000)
			if err != nil || failed != nil || !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.Contains(e.Detail, "trying again") }) {
				t.Fatalf("the log of task %s is %v (%v, %v), want it to say why the task waits", k.ID, log, err, failed)
			}
			if !task.Ended() {
				waiting++
			}
		}
		if waiting == 0 {
			t.Error("no task waits any more: the test shows nothing")
		}
		s.stop()
	})
}

// TestATryThatComesToNothingShutsNobodyOut has the store fail between the turn to try whether an agent is back and the message.
func TestATryThatComesToNothingShutsNobodyOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &actor{name: "away", down: 5, play: delivers("done")}
		s, earlier, failed := newStage(t, a), orchestrator.TaskID(tenant, "tester", "earlier"), false
		s.misread = func(k orchestrator.Key) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			if k.ID != earlier || a.down > 0 || failed {
				return nil
			}
			failed = true
			return errLost
		}
		s.start()
		defer s.stop()
		m := text("do it")
		m.ReferenceTaskIds = []string{earlier} // is looked up for each message
		task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: m, Route: orchestrator.Route{Agent: a.name}})
		if err != nil {
			t.Fatalf("Submit() = %v", err)
		}
		<-time.After(5 * time.Minute)
		if got, err := s.store.Task(t.Context(), task.Key()); err != nil || !failed || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("the task is in state %s (%+v), %v, after the store has failed (%t), want completed once the agent is back", got.State, got.Error, err, failed)
		}
	})
}
