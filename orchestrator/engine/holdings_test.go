package engine_test

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// hoarder is an agent that makes as much as a task may hold, and does not end its tasks before it is released.
type hoarder struct {
	*worker
	made     string
	released atomic.Bool
	holding  atomic.Int64 // tasks of which it has made so much, with somebody who listens
}

func (h *hoarder) remote(id string) *a2apb.Task {
	if h.released.Load() {
		return remoteTask(id, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
	}
	return remoteTask(id, a2apb.TaskState_TASK_STATE_WORKING, "", h.made)
}

func (h *hoarder) Send(ctx context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	h.mu.Lock()
	h.done[m.GetMessageId()]++
	h.mu.Unlock()
	return h.Subscribe(ctx, "remote-"+m.GetMessageId(), each)
}

func (h *hoarder) Subscribe(ctx context.Context, id string, each agentclient.Each) error {
	if err := each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: h.remote(id)}}); err != nil {
		return err
	}
	h.holding.Add(1)
	defer h.holding.Add(-1)
	for !h.released.Load() {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: h.remote(id)}})
}

func (h *hoarder) Task(_ context.Context, id string, _ int32) (*a2apb.Task, error) {
	return h.remote(id), nil
}

// TestWhatAnAgentMakesDoesNotFillTheMemory gives an agent more tasks than there is memory for what it makes of them.
func TestWhatAnAgentMakesDoesNotFillTheMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const tasks, most = 140, 128 // of 4 MiB each, in half of 1 GiB
		h := &hoarder{worker: newWorker(), made: strings.Repeat("x", orchestrator.MaxTaskBytes-1<<10)}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: h.worker, client: h}
		s.start()
		var keys []orchestrator.Key
		submit := func() {
			for range tasks {
				keys = append(keys, s.accept("worker", strconv.Itoa(len(keys))))
			}
		}
		submit()
		s.minutes(5)
		if n := h.holding.Load(); n != most {
			t.Errorf("an agent holds the memory of %d tasks, want %d", n, most)
		}
		waiting := 0
		for _, k := range keys {
			if task, err := s.store.Task(t.Context(), k); err != nil {
				t.Fatal(err)
			} else if e := task.OpenAttempt().Error; e != nil && e.Reason == agentclient.ReasonDraftsTooLarge && strings.Contains(e.Message, "agents.maxExchanges") {
				waiting++
			}
		}
		if waiting != tasks-most {
			t.Errorf("%d tasks say that they wait for memory, want %d", waiting, tasks-most)
		}
		h.released.Store(true)
		s.minutes(5)
		h.released.Store(false)
		submit()
		s.minutes(5)
		if n := h.holding.Load(); n != most {
			t.Errorf("after its tasks have ended, an agent holds the memory of %d tasks, want %d", n, most)
		}
		h.released.Store(true)
		s.minutes(5)
		s.stop()
		for _, k := range keys {
			task, err := s.store.Task(t.Context(), k)
			if err != nil || task.State != a2apb.TaskState_TASK_STATE_COMPLETED || h.done[task.MessageID(1)] != 1 {
				t.Errorf("the task is in state %s (%+v), %v, and was sent %d times, want it completed and sent once", task.State, task.Error, err, h.done[task.MessageID(1)])
			}
		}
	})
}

// talker is an agent that says at once as much as the log takes, and then no more.
type talker struct{ *hoarder }

func (a talker) Send(ctx context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	words := text(strings.Repeat("é", 4000))
	for n := range orchestrator.MaxEvents {
		said := &a2apb.Message{MessageId: strconv.Itoa(n), Parts: words.GetParts()}
		status := &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING, Message: said}
		update := &a2apb.TaskStatusUpdateEvent{TaskId: "remote-" + m.GetMessageId(), Status: status}
		if err := each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: update}}); err != nil {
			return err
		}
	}
	return a.Subscribe(ctx, "remote-"+m.GetMessageId(), each)
}

// TestWhatAnAgentSaysDoesNotFillTheMemory has an agent talk about more tasks at a time than there is memory for its words, which are then in the log.
func TestWhatAnAgentSaysDoesNotFillTheMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const tasks, most = 40, 33 // of 16 MB each, in half of 1 GiB
		h := &hoarder{worker: newWorker(), made: "a little"}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: h.worker, client: talker{h}}
		s.start()
		accepted := 0
		waiting := func(tasks int) (waited int) {
			var keys []orchestrator.Key
			for range tasks {
				accepted++
				keys = append(keys, s.accept("worker", strconv.Itoa(accepted)))
			}
			s.minutes(5)
			for _, k := range keys {
				if task := s.stored(k); task.OpenAttempt().Sends > 1 {
					waited++
				}
			}
			return waited
		}
		if waited := waiting(tasks); waited < tasks-most {
			t.Errorf("%d tasks had to wait, want %d at least", waited, tasks-most)
		}
		if waited := waiting(most); waited > 0 {
			t.Errorf("%d tasks had to wait for what is stored, want none", waited)
		}
		if n := h.holding.Load(); n != tasks+most {
			t.Errorf("%d tasks are with the agent, want all %d", n, tasks+most)
		}
		h.released.Store(true)
		s.minutes(1)
		s.stop()
	})
}
