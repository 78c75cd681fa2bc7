package engine_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// vanishing is an agent that accepts a task, shows a part of its work, and is gone.
func vanishing() *actor {
	a := &actor{name: "gone", skill: "work"}
	a.play = takes(a, func() {
		a.fallSilent()
		a.goAway(1000)
		a.vanish(time.Now())
	}, "half")
	return a
}

// toWork is the route of tasks that it gets, which have time enough.
func toWork(f *orchestrator.FanOut) engine.Submission {
	return engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: f}, Deadline: time.Now().Add(12 * time.Hour)}
}

// TestWhatAnAgentThatIsGoneHadAcceptedIsBegunAnew has an agent accept a task and not be there any more.
func TestWhatAnAgentThatIsGoneHadAcceptedIsBegunAnew(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		set   func(gone *actor)
		moves bool
	}{
		"when nothing was heard of it for some minutes": {func(*actor) {}, true},
		"not while it sends heartbeats":                 {func(a *actor) { a.play = takes(a, a.fallSilent) }, false},
		"not if it must not be done twice":              {func(a *actor) { a.once = true }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				gone := vanishing()
				test.set(gone)
				s := newStage(t, gone, stand())
				s.start()
				defer s.stop()
				k := s.put(toWork(nil))
				<-time.After(5*time.Minute - 10*time.Second)
				if task := s.stored(k); len(task.Attempts) != 1 {
					t.Errorf("before five minutes have passed the task is with %s, want it to stay", task.Agent)
				}
				<-time.After(3 * time.Minute)
				task := s.stored(k)
				if !test.moves {
					if len(task.Attempts) != 1 || task.Ended() {
						t.Errorf("state %s with %s after the attempts %+v, want it to stay", task.State, task.Agent, task.Attempts)
					}
					return
				}
				if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "other" || task.Attempts[0].RemoteTaskID != "r1" || task.Attempts[0].Error == nil {
					t.Fatalf("state %s by %s after the attempts %+v, want completed by the other one", task.State, task.Agent, task.Attempts)
				}
				if len(task.Artifacts) != 1 || task.Artifacts[0].GetParts()[0].GetText() != "done" {
					t.Errorf("artifacts %v, want those of the other one alone", task.Artifacts)
				}
			})
		})
	}
}

// TestAnAgentHasTimeToComeBackAfterARestart is down for longer than an agent may be, which is heard of by nobody meanwhile.
func TestAnAgentHasTimeToComeBackAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, vanishing(), stand())
		s.start()
		k := s.put(toWork(nil))
		<-time.After(time.Minute)
		s.stop()
		<-time.After(time.Hour)
		s.start()
		defer s.stop()
		<-time.After(5*time.Minute - 10*time.Second)
		if task := s.stored(k); len(task.Attempts) != 1 || task.Attempts[0].Sends < 10 {
			t.Errorf("the task is with %s after the attempts %+v, want it to stay, and be tried again", task.Agent, task.Attempts)
		}
		<-time.After(3 * time.Minute)
		if task := s.stored(k); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("state %s with %s, want completed by the other one", task.State, task.Agent)
		}
	})
}

// TestAStepOfAnAgentThatIsGoneIsBegunAnew has a fan-out of which an agent is gone that had accepted its step.
func TestAStepOfAnAgentThatIsGoneIsBegunAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, vanishing(), stand())
		s.start()
		defer s.stop()
		k := s.put(toWork(&orchestrator.FanOut{Mode: orchestrator.PlanAll, Agents: 1}))
		<-time.After(8 * time.Minute)
		if task := s.stored(k); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Plan.Steps) != 2 || task.Plan.Steps[1].Agent != "other" {
			t.Errorf("state %s (%+v) with the steps %+v, want completed by the other one", task.State, task.Error, task.Plan.Steps)
		}
	})
}

// TestAConversationWithAnAgentThatIsGoneIsGivenToNobodyElse has an agent that asks something and is gone after the reply.
func TestAConversationWithAnAgentThatIsGoneIsGivenToNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone := vanishing()
		accepts := gone.play
		gone.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
			if m.GetTaskId() != "" {
				return accepts(ctx, m, say)
			}
			asks := snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which one?")
			gone.remember(asks.GetTask())
			return say(asks)
		}
		s := newStage(t, gone, stand())
		s.start()
		defer s.stop()
		k := s.put(toWork(nil))
		<-time.After(time.Minute)
		if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text("that one")}); err != nil {
			t.Fatalf("Reply() = %v", err)
		}
		<-time.After(time.Hour)
		if task := s.stored(k); len(task.Attempts) != 1 || task.Attempts[0].Sends < 10 || task.Ended() {
			t.Errorf("state %s with %s after the attempts %+v, want it to stay", task.State, task.Agent, task.Attempts)
		}
	})
}

// TestWhatAnAgentHadAcceptedThatWasDeletedIsBegunAnew deletes an agent that works on a task.
func TestWhatAnAgentHadAcceptedThatWasDeletedIsBegunAnew(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	gone := &actor{name: "gone", skill: "work"}
	gone.play = takes(gone, func() {
		gone.fallSilent()
		close(begun)
	})
	w := newWorld(t, gone, stand())
	id := w.submit(engine.Submission{Route: orchestrator.Route{Skill: "work"}}).ID
	<-begun
	w.agents.mu.Lock()
	delete(w.agents.actors, "gone")
	w.agents.mu.Unlock()
	task, log := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Agent != "other" || len(gone.sends()) != 1 {
		t.Errorf("state %s (%+v) by %s, want completed by the other one; log %v", task.State, task.Error, task.Agent, log)
	}
	if why := task.Decision.Candidates[0].Reasons; !slices.Contains(why, "taken since gone is not registered any more") {
		t.Errorf("the decision says %q of who stepped in, want that the agent is not registered any more", why)
	}
}
