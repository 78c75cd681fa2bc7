package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// onlooker watches a task from the outside until it has ended, and when whom it asks has died, goes on at who is there then.
type onlooker struct {
	leave   context.CancelFunc
	looking sync.WaitGroup

	mu   sync.Mutex
	seen []orchestrator.Event // guarded by mu
}

// look begins to watch a task. use returns an engine that can be asked, or nil when there is none now.
func look(ctx context.Context, k orchestrator.Key, use func() *engine.Engine) *onlooker {
	o := &onlooker{}
	ctx, o.leave = context.WithCancel(ctx)
	o.looking.Go(func() {
		for ctx.Err() == nil {
			if e := use(); e != nil && o.watch(ctx, k, e) == nil {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	})
	return o
}

// watch has an engine report what comes after what was seen. Like any caller, it gives up one that says nothing for long.
func (o *onlooker) watch(ctx context.Context, k orchestrator.Key, e *engine.Engine) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	o.mu.Lock()
	after := uint64(len(o.seen))
	o.mu.Unlock()
	_, err := e.Watch(ctx, k, after, true, func(ev orchestrator.Event) error {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.seen = append(o.seen, ev)
		return nil
	})
	return err
}

// check compares what was seen with the log: each event once, and in order.
func (o *onlooker) check(t *testing.T, when string, store *storetest.Memory, k orchestrator.Key) {
	t.Helper()
	o.leave()
	o.looking.Wait()
	log, err := store.Events(t.Context(), k, 0, 1000)
	if err != nil || !slices.Equal(o.seen, log) {
		t.Errorf("%s: who watched saw %v, want the log, %v: %v", when, o.seen, log, err)
	}
}
