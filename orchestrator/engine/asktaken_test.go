package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// restarting is an agent that goes away once it has a message, so that nobody hears that it does, and comes back after some questions about it.
type restarting struct {
	*worker
	busy int // how often it asks to be asked later
}

func (r *restarting) Send(ctx context.Context, m *a2apb.Message, stream bool, _ agentclient.Each) error {
	_ = r.worker.Send(ctx, m, stream, func(*a2apb.StreamResponse) error { return nil })
	return errAway
}

func (r *restarting) Find(ctx context.Context, messageID string, _ time.Time) (*a2apb.Task, error) {
	if r.busy > 0 {
		r.busy--
		f := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the agent is starting")
		f.RetryAfter = time.Second
		return nil, f
	}
	return r.Task(ctx, "remote-"+messageID, 0)
}

// TestWhoCannotBeAskedForAMessageMayHaveIt has an agent that must not be asked twice be away when it is asked what became of the message.
func TestWhoCannotBeAskedForAMessageMayHaveIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorker()
		s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: &restarting{worker: w, busy: 2}, actors: map[string]*actor{"worker": {name: "worker", once: true}}}
		s.start()
		defer s.stop()
		k := s.accept("worker", "r")
		s.pass()
		task, err := s.store.Task(t.Context(), k)
		if sent := w.sent(); err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(sent) != 1 {
			t.Errorf("the task is in state %s (%+v), %v, and the agent got %v, want it completed and sent once; attempts %+v", task.State, task.Error, err, sent, task.Attempts)
		}
	})
}
