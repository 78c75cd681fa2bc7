package engine_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestAnAgentThatWaitsIsAskedLessAndLess has one that asks its caller left alone for three hours, with a rescan each minute: when it was answered
// elsewhere, that is noticed soon if it waits for authorization, which comes that way, and some time later if it does not.
func TestAnAgentThatWaitsIsAskedLessAndLess(t *testing.T) {
	for state, c := range map[a2apb.TaskState]struct {
		least, most int
		soon        time.Duration
	}{
		a2apb.TaskState_TASK_STATE_INPUT_REQUIRED: {least: 25, most: 45, soon: 10 * time.Minute},
		a2apb.TaskState_TASK_STATE_AUTH_REQUIRED:  {least: 150, most: 230, soon: time.Minute},
	} {
		t.Run(state.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent := newAsker()
				agent.state = state
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
				s.start()
				task, err := s.engine.Submit(t.Context(), engine.Submission{
					Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"}, Deadline: time.Now().Add(24 * time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(3 * time.Hour)
				agent.mu.Lock()
				if whole := s.life.reads.Load(); whole > int64(2*agent.asked+10) {
					t.Errorf("the task was read whole %d times while the agent was asked %d times, want about as often: rescans need its state only", whole, agent.asked)
				}
				if asked := agent.asked; asked < c.least || asked > c.most {
					t.Errorf("the agent was asked %d times in three hours, want %d to %d", asked, c.least, c.most)
				}
				for id := range agent.tasks {
					agent.tasks[id] = remoteTask(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
				}
				agent.mu.Unlock()
				<-time.After(c.soon + time.Second)
				got, err := s.store.Task(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID})
				if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED {
					t.Errorf("the task is in state %s, %v, after the agent was answered elsewhere, want completed", got.State, err)
				}
				s.stop()
			})
		})
	}
}

// renamer makes its answers anew each time that it is asked for a task, and its messages new ids.
type renamer struct {
	*actor
	answers atomic.Int64
}

func (r *renamer) Task(ctx context.Context, id string, history int32) (*a2apb.Task, error) {
	t, err := r.actor.Task(ctx, id, history)
	if t = proto.CloneOf(t); t.GetStatus().GetMessage() != nil {
		t.Status.Message.MessageId = "again-" + strconv.FormatInt(r.answers.Add(1), 10)
	}
	return t, err
}

// TestAQuestionWithAnotherIdIsTheSameQuestion has the agent wait for hours, and also asks it anew after a restart.
func TestAQuestionWithAnotherIdIsTheSameQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := &actor{name: "agent"}
		agent.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
			if m.GetTaskId() != "" {
				return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", m.GetParts()[0].GetText()))
			}
			question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "how many?")
			question.Status.Message.MessageId = "q"
			agent.remember(question)
			return say(snapshotOf(question))
		}
		s := newStage(t, agent)
		s.client = &renamer{actor: agent}
		s.start()
		k := s.accept("agent", "r")
		<-time.After(2 * time.Hour)
		s.stop()
		s.start()
		<-time.After(2 * time.Hour)
		waiting, err := s.store.Task(t.Context(), k)
		if err != nil || waiting.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || len(waiting.Turns) != 1 {
			t.Fatalf("after hours: state %s (%+v) with %d turns and %d events, %v, want one question", waiting.State, waiting.Error, len(waiting.Turns), waiting.LastEvent, err)
		}
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("3")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		<-time.After(time.Minute)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(agent.sends()) != 2 {
			t.Errorf("state %s (%+v) after %d messages, %v, want completed after 2", task.State, task.Error, len(agent.sends()), err)
		}
	})
}

// TestAfterARestartAnAgentIsNotAskedAboutAllWaitingTasksAtOnce has an agent wait for its caller with many tasks, and with few, when a process starts.
func TestAfterARestartAnAgentIsNotAskedAboutAllWaitingTasksAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tasks, least, most int }{{tasks: 300, least: 50, most: 150}, {tasks: 20, least: 20, most: 20}} {
		t.Run(strconv.Itoa(c.tasks), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				agent := newAsker()
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
				s.start()
				var keys []orchestrator.Key
				for n := range c.tasks {
					keys = append(keys, s.accept("worker", strconv.Itoa(n)))
				}
				<-time.After(10 * time.Minute) // each is asked about every few minutes by now
				s.stop()
				agent.mu.Lock()
				agent.asked = 0
				agent.mu.Unlock()
				s.start()
				<-time.After(time.Second)
				agent.mu.Lock()
				if agent.asked < c.least || agent.asked > c.most {
					t.Errorf("the agent was asked about %d of %d tasks in the first second, want %d to %d", agent.asked, c.tasks, c.least, c.most)
				}
				agent.mu.Unlock()
				<-time.After(15 * time.Second)
				agent.mu.Lock()
				if agent.asked != c.tasks {
					t.Errorf("the agent was asked %d times soon after, want once about each of %d tasks", agent.asked, c.tasks)
				}
				for id := range agent.tasks {
					agent.tasks[id] = remoteTask(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
				}
				agent.mu.Unlock()
				<-time.After(11 * time.Minute)
				for _, k := range keys {
					if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
						t.Errorf("task %s is in state %s, %v, want completed", k.ID, task.State, err)
					}
				}
				if n := engine.PollsKept(s.engine); n > 0 {
					t.Errorf("it is kept when %d agents are asked next, which is long ago", n)
				}
				s.stop()
			})
		})
	}
}

// TestAnAgentThatWasAuthorizedElsewhereIsSeenToGoOn has an agent that asks for an authorization get it elsewhere, soon, long after the first searches for tasks.
func TestAnAgentThatWasAuthorizedElsewhereIsSeenToGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := asks(a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "who are you?")
		s := newStage(t, a)
		s.start()
		defer s.stop()
		<-time.After(70 * time.Second)
		k := s.accept(a.name, "r")
		<-time.After(time.Second)
		a.remember(remoteTask("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		<-time.After(4 * time.Second)
		if got, err := s.store.Task(t.Context(), k); err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || got.StatusMessage != nil {
			t.Errorf("seconds after its agent went on the task is in state %s (%+v) saying %v, %v, want completed, and nothing of the question", got.State, got.Error, got.StatusMessage, err)
		}
	})
}

// TestAnotherQuestionIsShown has an agent that nobody answers ask something else, under another id.
func TestAnotherQuestionIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := func(id, words string) *a2apb.Task {
			question := remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, words)
			question.Status.Message.MessageId = id
			return question
		}
		agent := &actor{name: "agent"}
		agent.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			agent.remember(ask("q1", "how many?"))
			return say(snapshotOf(ask("q1", "how many?")))
		}
		s := newStage(t, agent)
		s.start()
		defer s.stop()
		k := s.accept("agent", "r")
		<-time.After(time.Hour)
		agent.remember(ask("q2", "how much?"))
		<-time.After(20 * time.Minute)
		if task, err := s.store.Task(t.Context(), k); err != nil || messageOf(task.StatusMessage) != "how much?" || len(task.Turns) != 2 {
			t.Errorf("the task in state %s says %v after the turns %+v, %v, want the second question of two", task.State, task.StatusMessage, task.Turns, err)
		}
	})
}

// TestAQuestionAfterAnotherOneIsShown has an agent that gives what it says no ids be authorized elsewhere, go on, and ask something else.
func TestAQuestionAfterAnotherOneIsShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := asks(a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "who are you?")
		s := newStage(t, a)
		s.start()
		defer s.stop()
		k := s.accept(a.name, "r")
		<-time.After(time.Second)
		for _, test := range []struct {
			state a2apb.TaskState
			words string
			want  string
		}{{a2apb.TaskState_TASK_STATE_WORKING, "thanks", ""}, {a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?", "which?"}} {
			a.remember(remoteTask("r", test.state, test.words))
			<-time.After(time.Minute)
			if got, err := s.store.Task(t.Context(), k); err != nil || got.State != test.state || messageOf(got.StatusMessage) != test.want {
				t.Errorf("the task is in state %s saying %v, %v, want %s saying %q", got.State, got.StatusMessage, err, test.state, test.want)
			}
		}
	})
}
