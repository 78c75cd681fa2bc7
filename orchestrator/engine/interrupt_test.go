package engine_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// newStage returns a simulation, not started, of one agent.
func newStage(t *testing.T, a *actor) *simulation {
	t.Helper()
	return &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: a, actors: map[string]*actor{a.name: a}}
}

// accept submits a task to the agent and returns its key.
func (s *simulation) accept(agent, requestID string) orchestrator.Key {
	s.t.Helper()
	task, err := s.engine.Submit(s.t.Context(), engine.Submission{
		Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: agent}, RequestID: requestID,
	})
	if err != nil {
		s.t.Fatalf("Submit() = %v", err)
	}
	return orchestrator.Key{Tenant: tenant, ID: task.ID}
}

// TestATaskThatWaitsIsCanceledAtOnce cancels many tasks at a time that have no runner: the one that begins with the news must not be stopped by it.
func TestATaskThatWaitsIsCanceledAtOnce(t *testing.T) {
	t.Parallel()
	const tasks = 3000
	synctest.Test(t, func(t *testing.T) {
		asks := &actor{name: "asks", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?"))
		}}
		s := newStage(t, asks)
		s.start()
		keys := make([]orchestrator.Key, tasks)
		for n := range keys {
			keys[n] = s.accept(asks.name, strconv.Itoa(n))
		}
		<-time.After(time.Second)
		var canceling sync.WaitGroup
		for _, k := range keys {
			canceling.Go(func() {
				if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
					t.Errorf("Cancel() = %v", err)
				}
			})
		}
		canceling.Wait()
		synctest.Wait() // no time passes: nobody looks for tasks that were forgotten
		forgotten := 0
		for _, k := range keys {
			if got, err := s.store.Task(t.Context(), k); err != nil || !got.Ended() {
				forgotten++
			}
		}
		if forgotten > 0 {
			t.Errorf("%d of %d tasks have not ended after they were canceled", forgotten, tasks)
		}
		s.stop()
	})
}
