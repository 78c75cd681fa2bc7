package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestAnIntentThatIsNotWritten has the store not take the intent to send a message again: for a while, which is not the agent's fault, or never.
func TestAnIntentThatIsNotWritten(t *testing.T) {
	t.Parallel()
	large := fault.New(fault.InvalidArgument, "ITEM_TOO_LARGE", "the task's state is too large")
	for name, test := range map[string]struct {
		why    error
		times  int
		state  a2apb.TaskState
		reason string
	}{
		"the store is throttled":     {errLost, 10, a2apb.TaskState_TASK_STATE_COMPLETED, ""},
		"the store will not take it": {large, 1000, a2apb.TaskState_TASK_STATE_FAILED, "ITEM_TOO_LARGE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				refused := 0
				f := &flaky{worker: newWorker(), fail: func(n int) error {
					if n == 1 {
						return errAway
					}
					return nil
				}}
				s := &simulation{t: t, store: &storetest.Memory{}, worker: f.worker, client: f}
				s.refuse = func(t *orchestrator.Task) error {
					if a := t.OpenAttempt(); a == nil || a.Sends != 2 || refused == test.times {
						return nil
					}
					refused++
					return test.why
				}
				s.start()
				k := s.submit("r")
				s.minutes(5)
				s.stop()
				task, err := s.store.Task(t.Context(), k)
				log, failed := s.store.Events(t.Context(), k, 0, 1000)
				if err != nil || failed != nil || refused == 0 || task.State != test.state || task.State == a2apb.TaskState_TASK_STATE_FAILED && task.Error.Reason != test.reason {
					t.Fatalf("the task is in state %s (%+v), %v, after its intent was refused %d times, want %s %s; log %v", task.State, task.Error, err, refused, test.state, test.reason, log)
				}
				if len(f.asked) == 2 && f.asked[1].Sub(f.asked[0]) > 15*time.Second {
					t.Errorf("the agent was asked again after %s, want soon after the store took the intent: the agent is not to blame", f.asked[1].Sub(f.asked[0]))
				}
			})
		})
	}
}
