package engine_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
)

// chatty is an agent that says something ten times a second while it works.
type chatty struct {
	*worker
	words int
}

func (c chatty) Send(_ context.Context, _ *a2apb.Message, _ bool, each agentclient.Each) error {
	for n := range c.words {
		if err := each(snapshot("remote", a2apb.TaskState_TASK_STATE_WORKING, strconv.Itoa(n))); err != nil {
			return err
		}
		<-time.After(100 * time.Millisecond)
	}
	return each(snapshot("remote", a2apb.TaskState_TASK_STATE_COMPLETED, "done"))
}

func TestWhatTheLogHasNoRoomForIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSimulation(t, &flaky{worker: newWorker(), fail: func(int) error { return nil }})
		s.stop()
		s.client = chatty{newWorker(), 2 * orchestrator.MaxEvents}
		writes := 0
		s.store.Written = func(orchestrator.Task) { writes++ }
		s.start()
		k := s.submit("r")
		s.minutes(20)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Fatalf("Task() = %s, %v, want it completed", task.State, err)
		}
		if most := orchestrator.MaxEvents + 20; writes > most {
			t.Errorf("the task was written %d times, want at most %d: its log is full after %d", writes, most, orchestrator.MaxEvents)
		}
	})
}
