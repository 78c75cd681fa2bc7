package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// pieces are so many that a task holds them once and not twice.
const pieces = 10

// much is the play of an agent that delivers them.
func much(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
	contents := slices.Repeat([]string{strings.Repeat("x", orchestrator.MaxTaskBytes*3/4/pieces)}, pieces)
	return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", contents...))
}

func fansOut(mode string) engine.Submission {
	return engine.Submission{Route: orchestrator.Route{Skill: "work", FanOut: &orchestrator.FanOut{Mode: mode}}}
}

func TestMoreThanIsNeededDoesNotMakeATaskTooLarge(t *testing.T) {
	finish := make(chan struct{})
	w := newWorld(t, &actor{name: "quick", skill: "work", play: much}, &actor{name: "slow", skill: "work", play: after(finish, much)})
	w.before = func(s orchestrator.Store) orchestrator.Store {
		return &overtakenCancel{Store: s, overtake: sync.OnceFunc(func() { close(finish) })}
	}
	w.restart()
	task, _ := w.awaitEnd(w.submit(fansOut(orchestrator.PlanAny)).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != pieces || task.Plan.Completed() != 2 {
		t.Errorf("state %s (%v), %d artifacts of %d completed steps, want completed with what one of two steps made", task.State, task.Error, len(task.Artifacts), task.Plan.Completed())
	}
}

func TestWhatIsKeptOfALostPlanIsWhatThereIsRoomFor(t *testing.T) {
	fail := make(chan struct{})
	w := newWorld(t, &actor{name: "one", skill: "work", play: much}, &actor{name: "two", skill: "work", play: much},
		&actor{name: "bad", skill: "work", play: after(fail, fails("cannot"))})
	id := w.submit(fansOut(orchestrator.PlanAll)).ID
	w.awaitCompleted(id, 2)
	close(fail)
	task, _ := w.awaitEnd(id)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "STEPS_FAILED" || len(task.Artifacts) != pieces {
		t.Errorf("state %s, %d artifacts, %s, want failed by its step, with what one made", task.State, len(task.Artifacts), task.Error.Reason)
	}
}

func TestAPlanWhoseResultsAreTooLargeSaysSo(t *testing.T) {
	w := newWorld(t, &actor{name: "one", skill: "work", play: much}, &actor{name: "two", skill: "work", play: much})
	task, _ := w.awaitEnd(w.submit(fansOut(orchestrator.PlanAll)).ID)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || task.Error.Reason != "RESULTS_TOO_LARGE" || len(task.Artifacts) != 0 {
		t.Errorf("state %s, %d artifacts, %v, want failed since they are too large", task.State, len(task.Artifacts), task.Error)
	}
}
