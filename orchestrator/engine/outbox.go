package engine

import (
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
)

// outbox holds the tasks whose receivers are to be notified now.
type outbox struct {
	signal  chan struct{}          // holds one token when due may have work
	limiter *admission.FairLimiter // by the host of the first receiver to be notified

	mu     sync.Mutex
	due    map[orchestrator.Key]struct{}    // guarded by mu
	busy   map[orchestrator.Key]struct{}    // guarded by mu
	timers map[orchestrator.Key]*time.Timer // guarded by mu

	failures map[orchestrator.Key]int // guarded by mu; how many times in a row the store failed
}

func newOutbox(logger *slog.Logger) *outbox {
	o := &outbox{
		signal: make(chan struct{}, 1), due: make(map[orchestrator.Key]struct{}), busy: make(map[orchestrator.Key]struct{}),
		timers: make(map[orchestrator.Key]*time.Timer), failures: make(map[orchestrator.Key]int),
	}
	o.limiter = admission.NewFairLimiter(pushers, o.wake, func(whose orchestrator.Key, in int) {
		logger.Warn("a receiver of push notifications is told of as many tasks as may be at a time; others wait for it", slog.String("host", whose.ID), slog.Int("tasks", in))
	})
	return o
}

// hostKey returns a key for the host of a receiver.
func hostKey(w *orchestrator.Webhook) orchestrator.Key {
	u, err := url.Parse(w.URL)
	if err != nil {
		return orchestrator.Key{ID: w.URL} // sending to such a URL will be refused
	}
	return orchestrator.Key{ID: u.Host}
}

func (o *outbox) wake(k orchestrator.Key) {
	o.mu.Lock()
	o.due[k] = struct{}{}
	o.mu.Unlock()
	putToken(o.signal)
}

// dueTasks returns the tasks that are due and not in progress.
func (o *outbox) dueTasks() []orchestrator.Key {
	o.mu.Lock()
	defer o.mu.Unlock()
	var keys []orchestrator.Key
	for k := range o.due {
		if _, busy := o.busy[k]; busy {
			continue
		}
		delete(o.due, k)
		o.busy[k] = struct{}{}
		if t := o.timers[k]; t != nil {
			t.Stop()
			delete(o.timers, k)
		}
		keys = append(keys, k)
	}
	return keys
}

// failed counts a failure of the store, and returns how many there were in a row.
func (o *outbox) failed(k orchestrator.Key) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures[k]++
	return o.failures[k]
}

// done ends work on a task's receivers, or puts it off for a while.
func (o *outbox) done(k orchestrator.Key, again time.Duration, failed bool) {
	o.mu.Lock()
	delete(o.busy, k)
	if !failed || again == 0 {
		delete(o.failures, k)
	}
	_, due := o.due[k]
	if again > 0 && !due {
		o.timers[k] = time.AfterFunc(again, func() { o.wake(k) })
	}
	o.mu.Unlock()
	if due {
		o.wake(k)
	}
}
