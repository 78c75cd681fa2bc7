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

// TestAReceiverThatIsToldNowAndThenIsNotGivenUp has one that takes every eleventh notification: each that it takes is a new beginning.
func TestAReceiverThatIsToldNowAndThenIsNotGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{fail: func(call int) error {
			if call%11 > 0 {
				return unavailable(call)
			}
			return nil
		}}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: newAsker(), notifier: r}
		s.start()
		defer s.stop()
		task, err := s.engine.Submit(t.Context(), told(""))
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{"one", "two"} { // so that it is owed word of several states at once
			<-time.After(20 * time.Second)
			if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: task.Key(), Caller: "tester", Message: text(said)}); err != nil {
				t.Fatal(err)
			}
		}
		s.minutes(300)
		got, err := s.store.Task(t.Context(), task.Key())
		if err != nil || got.Webhooks[0].GaveUp != "" || !got.Settled() || len(r.heard) < 4 {
			t.Errorf("after hours: %+v, %v, want the receiver told of each state; it heard %v", got.Webhooks, err, r.heard)
		}
	})
}

// pair is two receivers, of whom one is busy for ten minutes and the other away for a moment.
type pair struct {
	mu   sync.Mutex
	told map[string]int // how often, by id; the receivers of a task are told one after the other
}

func (*pair) Check(orchestrator.Webhook) error { return nil }

func (p *pair) Send(_ context.Context, w orchestrator.Webhook, _ *orchestrator.Task, _ orchestrator.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[w.ID]++
	switch {
	case p.told[w.ID] > 1:
		return nil
	case w.ID == "busy":
		busy := fault.New(fault.Unavailable, "RECEIVER_BUSY", "in ten minutes")
		busy.RetryAfter = 10 * time.Minute
		return busy
	default:
		return unavailable(1)
	}
}

// times returns how often the receivers were told.
func (p *pair) times() (away, busy int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told["away"], p.told["busy"]
}

// TestAReceiverIsTriedAgainWithoutWaitingForAnother has a busy receiver stand before and behind one that is away for a moment.
func TestAReceiverIsTriedAgainWithoutWaitingForAnother(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"busy", "away"}, {"away", "busy"}} {
		synctest.Test(t, func(t *testing.T) {
			p, w := &pair{told: make(map[string]int)}, newWorker()
			w.takes = time.Minute
			s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, notifier: p}
			s.start()
			synctest.Wait() // it has its leases
			submission := told("")
			submission.Webhook.ID = order[0]
			task, err := s.engine.Submit(t.Context(), submission)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.engine.SetWebhook(t.Context(), task.Key(), orchestrator.Webhook{ID: order[1], URL: "https://example.com"}); err != nil {
				t.Fatal(err)
			}
			for away, busy := p.times(); away+busy < 2; away, busy = p.times() {
				<-time.After(time.Second)
			}
			<-time.After(3 * time.Second)
			if away, busy := p.times(); away != 2 || busy != 1 {
				t.Errorf("with receivers in the order %v, after 3 seconds they were told %d and %d times, want only the one that was away told again", order, away, busy)
			}
			s.stop()
		})
	}
}
