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
	"github.com/quorate/quorate/platform/fault"
)

// answering is what answers for every receiver.
type answering struct{ err error }

func (answering) Check(orchestrator.Webhook) error { return nil }

func (a answering) Send(context.Context, orchestrator.Webhook, *orchestrator.Task, orchestrator.Event) error {
	return a.err
}

// TestTheReceiverOfAReplyIsAddedOnce sends a receiver with a reply to a task that has one, as clients do with each message.
func TestTheReceiverOfAReplyIsAddedOnce(t *testing.T) {
	t.Parallel()
	has := orchestrator.Webhook{URL: "https://example.com", Token: "token", Scheme: "Bearer", Credentials: "credentials"}
	with := func(change func(w *orchestrator.Webhook)) orchestrator.Webhook {
		w := has
		change(&w)
		return w
	}
	for name, test := range map[string]struct {
		sent   orchestrator.Webhook
		gaveUp bool // on the one that the task has
		want   int
	}{
		"the same":                  {sent: has, want: 1},
		"the same, after giving up": {sent: has, gaveUp: true, want: 2},
		"the same, with an id":      {sent: with(func(w *orchestrator.Webhook) { w.ID = "mine" }), want: 2},
		"another URL":               {sent: with(func(w *orchestrator.Webhook) { w.URL += "/other" }), want: 2},
		"another token":             {sent: with(func(w *orchestrator.Webhook) { w.Token = "other" }), want: 2},
		"another scheme":            {sent: with(func(w *orchestrator.Webhook) { w.Scheme = "Basic" }), want: 2},
		"other credentials":         {sent: with(func(w *orchestrator.Webhook) { w.Credentials = "other" }), want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := answering{}
				if test.gaveUp {
					r.err = fault.New(fault.FailedPrecondition, "RECEIVER_GONE", "gone")
				}
				s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: newAsker(), notifier: r}
				s.start()
				defer s.stop()
				submission := told("")
				submission.Webhook = &has
				task, err := s.engine.Submit(t.Context(), submission)
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(20 * time.Second) // it asks
				got, err := s.engine.Reply(t.Context(), engine.Reply{Key: task.Key(), Caller: "tester", Message: text("go on"), Webhook: &test.sent})
				if err != nil || len(got.Webhooks) != test.want {
					t.Errorf("Reply() = %v; the task has %d receivers, want %d: %+v", err, len(got.Webhooks), test.want, got.Webhooks)
				}
			})
		})
	}
}

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
