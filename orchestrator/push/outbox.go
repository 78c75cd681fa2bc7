package push

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
)

// Notifier makes one attempt to tell a receiver something. Sender does.
type Notifier interface {
	// Check refuses a receiver that could never be reached.
	Check(w orchestrator.Webhook) error
	// Send notifies a receiver of one event. Any fault other than Unavailable means that another try is useless.
	Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error
}

// OutboxConfig holds what an Outbox needs. All fields are required; without a Notifier nothing may be woken.
type OutboxConfig struct {
	Notifier Notifier
	Store    orchestrator.Store              // only read
	Update   Update                          // of Store
	Held     func(t *orchestrator.Task) bool // whether this replica works on the task, and therefore tells its receivers
	Now      func() time.Time
	Logger   *slog.Logger
}

// Update does what orchestrator.Store.Update does, and may do more.
type Update func(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error)

// maxTasks is of how many tasks receivers are notified at a time.
const maxTasks = 64

// Outbox has the receivers of tasks notified, each of every state that its task entered, in order, at least once, until it is given up. In memory is only
// which tasks are to be looked at now; what is owed to whom is in the tasks. Its methods are safe for concurrent use.
type Outbox struct {
	OutboxConfig

	signal  chan struct{}          // holds one token when due may have work
	limiter *admission.FairLimiter // by the host of the first receiver to be notified

	mu     sync.Mutex
	due    map[orchestrator.Key]struct{}    // guarded by mu
	busy   map[orchestrator.Key]struct{}    // guarded by mu
	timers map[orchestrator.Key]*time.Timer // guarded by mu

	failures map[orchestrator.Key]int // guarded by mu; how many times in a row the store failed
}

// NewOutbox returns an empty outbox. Nothing is sent unless Run is running.
func NewOutbox(c OutboxConfig) *Outbox {
	o := &Outbox{
		OutboxConfig: c,
		signal:       make(chan struct{}, 1), due: make(map[orchestrator.Key]struct{}), busy: make(map[orchestrator.Key]struct{}),
		timers: make(map[orchestrator.Key]*time.Timer), failures: make(map[orchestrator.Key]int),
	}
	o.limiter = admission.NewFairLimiter(maxTasks, o.Wake, func(whose orchestrator.Key, in int) {
		c.Logger.Warn("a receiver of push notifications is told of as many tasks as may be at a time; others wait for it", slog.String("host", whose.ID), slog.Int("tasks", in))
	})
	return o
}

// Wake has a task's receivers notified of what is due.
func (o *Outbox) Wake(k orchestrator.Key) {
	o.mu.Lock()
	o.due[k] = struct{}{}
	o.mu.Unlock()
	select {
	case o.signal <- struct{}{}:
	default: // it holds a token
	}
}

// DropGroup forgets the tasks of a group that wait for others to be notified: another replica works on them by now.
func (o *Outbox) DropGroup(group int) { o.limiter.DropGroup(group) }

// Run notifies receivers until ctx ends. What remains is in the store.
func (o *Outbox) Run(ctx context.Context) {
	var running errgroup.Group
	running.SetLimit(maxTasks)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-o.signal:
			for _, k := range o.dueTasks() {
				running.Go(func() error {
					again, err := o.deliver(ctx, k)
					if err != nil && ctx.Err() == nil {
						again = o.retryDelay(ctx, k, err)
					}
					o.done(k, again, err != nil)
					return nil
				})
			}
		}
	}
	_ = running.Wait() // the tasks return no errors
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.timers {
		t.Stop()
	}
}

// dueTasks returns the tasks that are due and not in progress.
func (o *Outbox) dueTasks() []orchestrator.Key {
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
func (o *Outbox) failed(k orchestrator.Key) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failures[k]++
	return o.failures[k]
}

// done ends work on a task's receivers, or puts it off for a while.
func (o *Outbox) done(k orchestrator.Key, again time.Duration, failed bool) {
	o.mu.Lock()
	delete(o.busy, k)
	if !failed || again == 0 {
		delete(o.failures, k)
	}
	_, due := o.due[k]
	if again > 0 && !due {
		o.timers[k] = time.AfterFunc(again, func() { o.Wake(k) })
	}
	o.mu.Unlock()
	if due {
		o.Wake(k)
	}
}
