package engine_test

import (
	"context"
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
)

// TestAnAgentThatRefusesAReplyAsksAgain has one that takes numbers only, and from a caller that it knows, and goes on waiting for one.
func TestAnAgentThatRefusesAReplyAsksAgain(t *testing.T) {
	t.Parallel()
	agent := &actor{name: "agent"}
	question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "how many?")
	question.Status.Message.MessageId = "q"
	agent.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		switch {
		case m.GetTaskId() == "":
			agent.remember(question)
			return say(snapshotOf(question))
		case m.GetParts()[0].GetText() == "4":
			return fault.New(fault.FailedPrecondition, agentclient.ReasonDenied, "who are you?")
		case m.GetParts()[0].GetText() != "3":
			return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "a number, please")
		default:
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "three"))
		}
	}
	w := newWorld(t, agent)
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
	for i, reply := range []string{"many", "4", "3"} {
		task, log := w.await(id)
		if task.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || len(task.Turns) != 2*i+1 || messageOf(task.StatusMessage) != "how many?" {
			t.Fatalf("after %d replies: state %s (%+v) with %d turns and the question %v, want that the agent asks again; log %v", i, task.State, task.Error, len(task.Turns), task.StatusMessage, log)
		}
		if said := slices.ContainsFunc(log, func(e orchestrator.Event) bool {
			return strings.Contains(e.Detail, "agent did not take message 2 and still waits for one: a number, please")
		}); said != (i > 0) {
			t.Errorf("after %d replies the log says why the agent asks again: %t; log %v", i, said, log)
		}
		if _, err := w.engine.Reply(t.Context(), engine.Reply{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester", Message: text(reply)}); err != nil {
			t.Fatalf("Reply(%q) = %v", reply, err)
		}
	}
	if task, log := w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(agent.sends()) != 4 {
		t.Errorf("state %s (%+v) after %d messages, want completed after 4; log %v", task.State, task.Error, len(agent.sends()), log)
	}
}

func messageOf(m *a2apb.Message) string {
	if len(m.GetParts()) == 0 {
		return ""
	}
	return m.GetParts()[0].GetText()
}

// TestAnAgentMayTakeItsTimeWithAReply has the connection break behind a reply, which the agent begins to work on a little later.
func TestAnAgentMayTakeItsTimeWithAReply(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]bool{"and says nothing until then": false, "and shows its question once more": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := &actor{name: "agent"}
				question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "how many?")
				question.Status.Message.MessageId = "q"
				agent.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
					if m.GetTaskId() == "" {
						agent.remember(question)
						return say(snapshotOf(question))
					}
					replied := &a2apb.Task{Id: "r1", Status: question.GetStatus(), History: []*a2apb.Message{m}}
					agent.remember(replied)
					time.AfterFunc(5*time.Second, func() { agent.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "three")) })
					if says {
						if err := say(snapshotOf(replied)); err != nil {
							return err
						}
					}
					return errCut
				}
				s := newStage(t, agent)
				s.start()
				k := s.accept("agent", "r")
				<-time.After(time.Second)
				if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("3")}); err != nil {
					t.Fatalf("Reply() = %v", err)
				}
				<-time.After(4 * time.Second)
				if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_WORKING || len(task.Turns) != 2 {
					t.Errorf("state %s with %d turns, %v, want working after the reply", task.State, len(task.Turns), err)
				}
				<-time.After(time.Minute)
				s.stop()
				if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(agent.sends()) != 2 {
					t.Errorf("state %s (%+v) after %d messages, %v, want completed after 2", task.State, task.Error, len(agent.sends()), err)
				}
			})
		})
	}
}

// inattentive is an asker that takes replies, and goes on showing its question as if there were none.
type inattentive struct{ *asker }

func (d inattentive) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	if m.GetTaskId() == "" {
		return d.asker.Send(ctx, m, stream, each)
	}
	t, err := d.Task(ctx, m.GetTaskId(), 0)
	if err != nil {
		return err
	}
	return each(snapshotOf(t))
}

// TestAnAgentThatGoesOnShowingItsQuestionAsksAgain wants that a caller is not left waiting whose reply has come to nothing.
func TestAnAgentThatGoesOnShowingItsQuestionAsksAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: inattentive{newAsker()}}
		s.start()
		defer s.stop()
		k := s.accept("worker", "r")
		<-time.After(5 * time.Second)
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("one")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		for _, want := range []struct {
			after time.Duration
			state a2apb.TaskState
			turns int
		}{{5 * time.Second, a2apb.TaskState_TASK_STATE_WORKING, 2}, {15 * time.Second, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, 3}} {
			<-time.After(want.after)
			got, err := s.store.Task(t.Context(), k)
			if err != nil || got.State != want.state || len(got.Turns) != want.turns {
				t.Errorf("the task is in state %s with %d turns, %v, want %s with %d", got.State, len(got.Turns), err, want.state, want.turns)
			}
		}
	})
}

// TestAReplyToATaskThatTheAgentHasForgottenIsNotGivenToTheNext has an agent forget its task once it has asked: it begins anew, and asks anew.
func TestAReplyToATaskThatTheAgentHasForgottenIsNotGivenToTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := newAsker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
		s.start()
		defer s.stop()
		k := s.accept("worker", "r")
		<-time.After(5 * time.Second)
		agent.mu.Lock()
		clear(agent.tasks)
		clear(agent.said)
		agent.mu.Unlock()
		for _, said := range []string{"lost", "one", "two"} {
			if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text(said)}); err != nil {
				t.Errorf("Reply(%q) = %v", said, err)
			}
			<-time.After(20 * time.Second)
		}
		got, err := s.store.Task(t.Context(), k)
		if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || got.Attempts[0].Sends != 2 {
			t.Errorf("the task is in state %s (%+v) after the attempts %+v, %v, want completed in one, sent twice", got.State, got.Error, got.Attempts, err)
		}
		agent.mu.Lock()
		defer agent.mu.Unlock()
		for _, said := range agent.said {
			if want := []string{"do it", "one", "two"}; !slices.Equal(said, want) {
				t.Errorf("the agent was told %q, want %q", said, want)
			}
		}
	})
}

// TestAReplyIsNotSentOnceOthersMayHaveTheTask has an agent take long to say how its task is, before it gets a reply, and the leases run out meanwhile: whoever has
// the task by then may have sent that reply, and the next.
func TestAReplyIsNotSentOnceOthersMayHaveTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &hesitant{actor: &actor{name: "agent"}}
		a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			asks := snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?")
			a.remember(asks.GetTask())
			return say(asks)
		}
		s := newStage(t, a.actor)
		s.client = a
		var silent atomic.Bool
		s.beats = func(l orchestrator.LeaseStore) orchestrator.LeaseStore { return silentLeases{l, &silent} }
		s.start()
		defer s.stop()
		k := s.accept(a.name, "r")
		<-time.After(time.Minute)
		silent.Store(true)
		a.hesitates.Store(true)
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("that one")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		<-time.After(10 * time.Minute)
		if n := len(a.sends()); n != 1 {
			t.Errorf("the agent got %d messages, want the first only", n)
		}
		silent.Store(false)
		a.hesitates.Store(false)
		<-time.After(10 * time.Minute)
		if n := len(a.sends()); n != 2 {
			t.Errorf("the agent got %d messages, want the reply as well once the leases are back", n)
		}
	})
}

// hesitant is an agent that takes longer than leases last to say how its task is.
type hesitant struct {
	*actor

	hesitates atomic.Bool
}

func (h *hesitant) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	if h.hesitates.Load() {
		<-time.After(5 * time.Minute)
	}
	return h.actor.Task(ctx, id, history)
}

// silentLeases is a store of leases that does not answer signs of life while it is silent.
type silentLeases struct {
	orchestrator.LeaseStore
	silent *atomic.Bool
}

func (l silentLeases) Beat(ctx context.Context, n orchestrator.Node) error {
	if l.silent.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return l.LeaseStore.Beat(ctx, n)
}

// cutAsker is an agent whose connections end with an error as soon as it has a reply.
type cutAsker struct {
	*asker
	with error
}

func (a cutAsker) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	if m.GetTaskId() == "" {
		return a.asker.Send(ctx, m, stream, each)
	}
	if _, err := a.take(m); err != nil {
		return err
	}
	return a.with
}

// TestAReplyThatTheHistoryShowsIsNotSentAgain has an agent go on showing its question until it has thought, and its history.
func TestAReplyThatTheHistoryShowsIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]error{"the connection breaks": errAway, "the answer is an error": fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "boom")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := newAsker()
				agent.slow = true
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: cutAsker{agent, with}}
				s.start()
				defer s.stop()
				k := s.accept("worker", "r")
				<-time.After(5 * time.Second)
				if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("that one")}); err != nil {
					t.Fatalf("Reply() = %v", err)
				}
				<-time.After(time.Minute)
				got, err := s.store.Task(t.Context(), k)
				if err != nil || len(got.Turns) != 3 || messageOf(got.StatusMessage) != "question 2?" {
					t.Fatalf("the task is in state %s after the turns %+v, %v, want the next question", got.State, got.Turns, err)
				}
				log, err := s.store.Events(t.Context(), k, 0, 1000)
				if err != nil || slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.Contains(e.Detail, "did not take") }) {
					t.Errorf("the log says that the agent did not take the reply: %v, %v", log, err)
				}
				agent.mu.Lock()
				defer agent.mu.Unlock()
				if n := agent.sends[got.Turns[1].MessageID]; n != 1 {
					t.Errorf("the agent got the reply %d times, want once", n)
				}
			})
		})
	}
}
