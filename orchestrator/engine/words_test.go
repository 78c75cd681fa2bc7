package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

func TestAnAgentThatWaitsWithoutAWordIsSeenToWait(t *testing.T) {
	w := newWorld(t, &actor{name: "asks", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
		if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "")); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}})
	task := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "asks"}})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	seen := errors.New("seen")
	_, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: task.ID}, 0, true, func(e orchestrator.Event) error {
		if e.Type == orchestrator.EventState && e.State == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED {
			return seen
		}
		return nil
	})
	if err != seen { //nolint:errorlint // the very value
		t.Errorf("Watch() = %v, want an event that says that the task waits", err)
	}
}

func TestTheWordsOfAGuardedFailureAreHeldBack(t *testing.T) {
	w := newWorld(t, &actor{name: "web", play: fails("the secret is xyzzy"), requirements: requirement("pre-completion")})
	task, log := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	told := task.Error.Message + fmt.Sprint(log, task.Attempts[0].Error)
	if task.State != a2apb.TaskState_TASK_STATE_FAILED || strings.Contains(told, "xyzzy") {
		t.Errorf("state %s, told %s, want it failed without the agent's words", task.State, told)
	}
	if !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.Contains(e.Detail, "held back") }) {
		t.Errorf("log = %v, want it to say that words are held back", log)
	}
}
