package engine_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// stand is an agent that would do at once what another one is preferred for.
func stand() *actor {
	return &actor{name: "other", skill: "work", status: registry.StatusBusy, play: delivers("done")}
}

// TestATaskStaysWithItsAgent has agents that do not do their task, and another one that would.
func TestATaskStaysWithItsAgent(t *testing.T) {
	t.Parallel()
	works := &actor{name: "agent", skill: "work"}
	works.play = takes(works, func() {})
	silent := &actor{name: "agent", skill: "work"}
	silent.play = takes(silent, silent.fallSilent)
	for name, test := range map[string]struct {
		agent *actor
		route orchestrator.Route
	}{
		"that was named":             {&actor{name: "agent", skill: "work", down: 1000}, orchestrator.Route{Agent: "agent"}},
		"that failed at it":          {&actor{name: "agent", skill: "work", play: fails("too hard")}, orchestrator.Route{Skill: "work"}},
		"that refused it":            {&actor{name: "agent", skill: "work", play: refuses}, orchestrator.Route{Skill: "work"}},
		"that works without end":     {works, orchestrator.Route{Skill: "work"}},
		"that took it and is silent": {silent, orchestrator.Route{Skill: "work"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rest := stand()
				s := newStage(t, test.agent, rest)
				s.start()
				defer s.stop()
				k := s.put(engine.Submission{Route: test.route, Deadline: time.Now().Add(time.Hour)})
				<-time.After(2 * time.Hour)
				task := s.stored(k)
				if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Agent != "agent" || len(rest.sends()) != 0 {
					t.Fatalf("state %s with %s, and the other agent got %d messages, want failed with agent and none", task.State, task.Agent, len(rest.sends()))
				}
				if a := task.Attempts[0]; a.EndTime.IsZero() || a.Error == nil || a.Error.Reason != task.Error.Reason {
					t.Errorf("the attempt of a task that failed for %s is %+v, want it to have ended for that", task.Error.Reason, a)
				}
			})
		})
	}
}

// takes plays an agent that takes its task before the connection breaks.
func takes(a *actor, then func(), made ...string) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "", made...))
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", made...)); err != nil {
			return err
		}
		then()
		return errAway
	}
}

func refuses(context.Context, *a2apb.Message, agentclient.Each) error {
	return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "not that")
}

// TestWorkThatMayHaveBegunIsGivenToNobodyElse has an agent, whose work must not be done twice, get as many messages as open its breaker, and one more. Nobody
// hears what becomes of them, or hears that it does not take them now.
func TestWorkThatMayHaveBegunIsGivenToNobodyElse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer error
		within time.Duration
		state  a2apb.TaskState
		others int // messages to the other agent
	}{
		"it may have": {errAway, 10 * time.Minute, a2apb.TaskState_TASK_STATE_FAILED, 0},
		"it has not":  {overloaded(time.Second), 5 * time.Second, a2apb.TaskState_TASK_STATE_COMPLETED, admission.BreakerFailures + 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rest, agent := stand(), &actor{name: "agent", skill: "work", once: true}
				agent.play = func(context.Context, *a2apb.Message, agentclient.Each) error {
					<-time.After(time.Second)
					return test.answer
				}
				s := newStage(t, agent, rest)
				s.start()
				defer s.stop()
				var keys []orchestrator.Key
				for n := range admission.BreakerFailures + 1 {
					keys = append(keys, s.put(engine.Submission{Route: orchestrator.Route{Skill: "work"}, RequestID: strconv.Itoa(n)}))
				}
				<-time.After(test.within)
				for _, k := range keys {
					got := s.stored(k)
					if got.State != test.state {
						t.Errorf("the task is in state %s (%+v) with %s, want %s", got.State, got.Error, got.Agent, test.state)
					}
					if a := got.OpenAttempt(); a != nil {
						t.Errorf("the attempt %+v of a task that has ended is open", a)
					}
				}
				if n, others := len(agent.sends()), len(rest.sends()); n != len(keys) || others != test.others {
					t.Errorf("the agent got %d messages and the other one %d, want %d and %d", n, others, len(keys), test.others)
				}
			})
		})
	}
}

// TestWhoStepsInIsNotAskedTwice has an agent step in whose work must not be done twice, for one whose work may.
func TestWhoStepsInIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rest := stand()
		rest.once, rest.play = true, func(context.Context, *a2apb.Message, agentclient.Each) error { return errAway }
		s := newStage(t, &actor{name: "down", skill: "work", down: 1000}, rest)
		s.start()
		defer s.stop()
		k := s.put(engine.Submission{Route: orchestrator.Route{Skill: "work"}})
		<-time.After(10 * time.Minute)
		if task := s.stored(k); task.Error == nil || task.Error.Reason != "OUTCOME_UNKNOWN" || len(rest.sends()) != 1 {
			t.Errorf("state %s (%+v) after %d messages to who stepped in, want failed as unknown after one", task.State, task.Error, len(rest.sends()))
		}
	})
}
