package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// slowReceiver takes a minute for what it is told first.
type slowReceiver struct {
	receiver

	slow  func()
	stale int // events that it was told of with a task from before them
}

func (r *slowReceiver) Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error {
	r.slow()
	r.mu.Lock()
	if e.Sequence > t.LastEvent {
		r.stale++
	}
	r.mu.Unlock()
	return r.receiver.Send(ctx, w, t, e)
}

// TestAReceiverIsToldOfAnEventWithTheTaskAsItIsThen has a task go on while the first of its receivers is told: the second must not hear of the end
// with a task that has not come to it, and so without its artifacts.
func TestAReceiverIsToldOfAnEventWithTheTaskAsItIsThen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &slowReceiver{slow: sync.OnceFunc(func() { <-time.After(time.Minute) })}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: newAsker(), notifier: r}
		s.start()
		synctest.Wait() // it has its leases
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"},
			Webhook: &orchestrator.Webhook{ID: "first", URL: "https://example.com", Token: "secret"},
		})
		if err != nil {
			t.Fatal(err)
		}
		k := orchestrator.Key{Tenant: tenant, ID: task.ID}
		if _, err := s.engine.SetWebhook(t.Context(), k, orchestrator.Webhook{ID: "second", URL: "https://example.com", Token: "secret"}); err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{"one", "two"} {
			<-time.After(20 * time.Second)
			if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text(said)}); err != nil {
				t.Errorf("Reply() = %v", err)
			}
		}
		<-time.After(5 * time.Minute)
		s.stop()
		got, err := s.store.Task(context.WithoutCancel(t.Context()), k)
		if err != nil || !got.Settled() || len(r.heard) != 10 {
			t.Errorf("the task is in state %s and its receivers heard %d times, %v, want it settled, and 5 states each", got.State, len(r.heard), err)
		}
		if r.stale > 0 {
			t.Errorf("the receivers were told %d times with a task from before the event", r.stale)
		}
	})
}
