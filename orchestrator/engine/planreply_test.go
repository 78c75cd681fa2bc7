package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// replyToStepAlone runs a fan-out to an agent that asks, and has the store go away between the reply to the task of the step and the task that shows it. It
// returns what the reply was answered with; the store is back by then.
func replyToStepAlone(t *testing.T) (*simulation, orchestrator.Task) {
	t.Helper()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: newAsker(), actors: map[string]*actor{"first": {name: "first", skill: "work"}}}
	var away atomic.Bool
	lost := errors.New("the store did not answer")
	s.store.Fail = func(int) (before, after error) {
		if away.Load() {
			return lost, nil
		}
		return nil, nil
	}
	replied := sync.OnceFunc(func() { away.Store(true) })
	s.store.Written = func(t orchestrator.Task) {
		if t.Plan == nil && len(t.Turns) == 2 {
			replied()
		}
	}
	s.start()
	task, err := s.engine.Submit(t.Context(), engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Minute)
	got, err := s.engine.Reply(t.Context(), engine.Reply{Key: task.Key(), Caller: "tester", Message: text("green")})
	away.Store(false)
	if err != nil {
		t.Fatalf("Reply() = %v, want that it is accepted", err)
	}
	return s, got
}

// TestAReplyThatAStepHasIsAccepted has somebody reply whose reply only the step has: that must not be done again.
func TestAReplyThatAStepHasIsAccepted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, got := replyToStepAlone(t)
		if got.State != a2apb.TaskState_TASK_STATE_WORKING || got.Plan.Asking != nil {
			t.Errorf("Reply() = state %s, want working", got.State)
		}
		<-time.After(time.Minute)
		got, err := s.store.Task(t.Context(), got.Key())
		if err != nil || !got.AwaitsCaller() || len(got.Turns) != 3 {
			t.Errorf("a minute later the task is in state %s with %d turns, %v, want it to ask again, with 3", got.State, len(got.Turns), err)
		}
		s.stop()
	})
}

// TestATaskThatEndsFromOutsideHasTheReplyThatAStepHas has the task canceled then: who was told that the reply is accepted finds it there.
func TestATaskThatEndsFromOutsideHasTheReplyThatAStepHas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, got := replyToStepAlone(t)
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: got.Key(), Caller: "tester"}); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		got, err := s.store.Task(t.Context(), got.Key())
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_CANCELED || len(got.Turns) != 2 || got.Turns[1].FromAgent || got.StatusMessage != nil {
			t.Errorf("the task is in state %s with %d turns, saying %v, %v, want it canceled with the question and its reply", got.State, len(got.Turns), got.StatusMessage, err)
		}
		s.stop()
	})
}

// TestWhatStepsAskIsRepliedToOnceWhereverItBreaks runs a fan-out to two agents that ask twice each, through their task alone, once for every call to
// the store and every kind of mishap: each agent hears the replies to its own questions, once and in order.
func TestWhatStepsAskIsRepliedToOnceWhereverItBreaks(t *testing.T) {
	t.Parallel()
	wherever(t, 40, replyThroughParent)
}

func replyThroughParent(t *testing.T, x *trouble) {
	t.Helper()
	agent := newAsker()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent, actors: map[string]*actor{
		"first": {name: "first", skill: "work"}, "second": {name: "second", skill: "work"},
	}}
	s.meet(x)
	var parent atomic.Pointer[orchestrator.Task] // as it was last written
	s.store.Written = func(t orchestrator.Task) {
		if t.Plan != nil {
			parent.Store(&t)
		}
	}
	s.start()
	when := x.String()
	task := s.insist(when, func() (orchestrator.Task, error) {
		return s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("begin"), RequestID: "r",
			Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: orchestrator.PlanAll}},
		})
	})
	k := orchestrator.Key{Tenant: tenant, ID: task.ID}
	answered := make(map[string]bool)
	for second := 0; second < 900 && !parent.Load().Ended(); second++ {
		<-time.After(time.Second)
		s.restartIfDead()
		asks := parent.Load()
		id := asks.StatusMessage.GetMessageId()
		if !asks.AwaitsCaller() || answered[id] {
			continue
		}
		answered[id] = true
		s.insist(when, func() (orchestrator.Task, error) {
			return s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("to " + id), RequestID: id})
		})
	}
	s.stop()
	s.store.Fail = nil
	got, err := s.store.Task(t.Context(), k)
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(got.Artifacts) != 2 || got.StatusMessage != nil {
		t.Errorf("%s: the task is in state %s (%+v) with %d artifacts, %v, want completed with 2", when, got.State, got.Error, len(got.Artifacts), err)
	}
	for id, said := range agent.said {
		if want := fmt.Sprintf("begin, to %s-q1, to %s-q2", id, id); strings.Join(said, ", ") != want || len(agent.said) != 2 {
			t.Errorf("%s: an agent of %d was told %q, want %q", when, len(agent.said), said, want)
		}
	}
	checkTalk(t, when, got.Turns)
}

// checkTalk checks that each question is followed by the reply to it.
func checkTalk(t *testing.T, when string, turns []orchestrator.Turn) {
	t.Helper()
	if len(turns) != 8 {
		t.Errorf("%s: the task has %d turns, want 4 questions and 4 replies", when, len(turns))
	}
	for i, turn := range turns {
		fine := turn.Number == i+1 && turn.FromAgent == (i%2 == 0)
		if fine && !turn.FromAgent {
			fine = turn.Done && turn.Message.GetParts()[0].GetText() == "to "+turns[i-1].MessageID
		}
		if !fine {
			t.Errorf("%s: turn %d is %+v, want questions and the replies to them in turn", when, i+1, turn)
		}
	}
}

func TestOfTwoRepliesToOneQuestionOneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"))
	task, _ := w.await(w.submit(engine.Submission{Route: toAll}).ID)
	child := task.Plan.Waiting().TaskID
	results := make(chan string, 4)
	for i, id := range []string{task.ID, child, task.ID, child} {
		go func() { results <- w.reply(id, fmt.Sprint("reply ", i), "") }()
	}
	taken := 0
	for range cap(results) {
		if r := <-results; r == "" {
			taken++
		} else if r != "TASK_NOT_WAITING" && r != "TASK_ENDED" {
			t.Errorf("Reply() = %s, want that it was taken or that the task does not wait", r)
		}
	}
	if done, _ := w.awaitEnd(task.ID); taken != 1 || len(done.Turns) != 2 || done.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("%d replies were taken; the task is in state %s with %d turns, want 1, and completed with 2", taken, done.State, len(done.Turns))
	}
}

// TestATaskWhoseStepHasAReplyWaitsForNoMore has the agent of a step think about a reply.
func TestATaskWhoseStepHasAReplyWaitsForNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: newAsker(), actors: map[string]*actor{"worker": {name: "worker", skill: "work"}}}
		s.start()
		defer s.stop()
		task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text("begin"), Route: toAll})
		if err != nil {
			t.Fatalf("Submit() = %v", err)
		}
		<-time.After(10 * time.Second)
		task, err = s.engine.Reply(t.Context(), engine.Reply{Key: task.Key(), Caller: "tester", Message: text("that one")})
		if err != nil || task.Waits() || task.StatusMessage != nil || task.Plan.Waiting() != nil {
			t.Errorf("Reply() = a task in state %s saying %v, %v, want one that waits for nobody", task.State, task.StatusMessage, err)
		}
	})
}
