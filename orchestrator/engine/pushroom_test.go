package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// reluctant is two receivers, of whom one takes its time.
type reluctant struct {
	release chan struct{}
	quick   chan string  // tasks that the quick one heard of
	slow    atomic.Int32 // that the slow one has heard of
}

func (*reluctant) Check(orchestrator.Webhook) error { return nil }

func (r *reluctant) Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error {
	if strings.Contains(w.URL, "quick") {
		r.quick <- t.ID
		return nil
	}
	select {
	case <-ctx.Done():
	case <-r.release:
		if e.State == t.State {
			r.slow.Add(1)
		}
	}
	return context.Cause(ctx)
}

// TestAReceiverThatTakesItsTimeHoldsUpNobodyElse owes one receiver word of more tasks than are told of at a time, and another word of one.
func TestAReceiverThatTakesItsTimeHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	r := &reluctant{release: make(chan struct{}), quick: make(chan string, 10)}
	w := newWorld(t, quick())
	w.told = r
	w.restart()
	submit := func(url string) string {
		return w.submit(engine.Submission{Route: orchestrator.Route{Agent: "quick"}, Webhook: &orchestrator.Webhook{URL: url}}).ID
	}
	const many = 150
	for range many {
		submit("https://slow.example/hook")
	}
	id := submit("https://quick.example/hook")
	late := time.After(limit)
	select {
	case heard := <-r.quick:
		if heard != id {
			t.Errorf("the quick receiver heard of task %s, want %s", heard, id)
		}
	case <-late:
		t.Fatal("the quick receiver hears nothing while the slow one takes its time")
	}
	close(r.release)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for r.slow.Load() < many {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the slow receiver heard of %d tasks, want %d", r.slow.Load(), many)
		}
	}
}
