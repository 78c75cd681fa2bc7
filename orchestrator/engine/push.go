package engine

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Notifier sends push notifications about tasks.
type Notifier interface {
	// Check refuses a receiver that could never be reached.
	Check(w orchestrator.Webhook) error
	// Send notifies a receiver of one event. Any fault other than Unavailable means that another try is useless.
	Send(ctx context.Context, w orchestrator.Webhook, t *orchestrator.Task, e orchestrator.Event) error
}

const (
	pushTries    = 15 // for one event; with the pauses in between, about an hour and a quarter
	pushPause    = time.Second
	maxPushPause = 15 * time.Minute
	pushers      = 64 // tasks whose receivers are notified at a time
	pushPage     = 200
)

// SetWebhook adds a receiver of push notifications about the task from now on, or replaces the one with the same id, and returns it. If the task has
// the maximum number of receivers, the result is a FailedPrecondition fault with the reason TOO_MANY_WEBHOOKS.
func (e *Engine) SetWebhook(ctx context.Context, k orchestrator.Key, w orchestrator.Webhook) (orchestrator.Webhook, error) {
	w, err := e.newWebhook(w)
	if err != nil {
		return w, err
	}
	_, err = e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		return nil, addWebhook(t, w)
	})
	return w, err
}

// addWebhook adds a receiver for whatever happens to the task from now on.
func addWebhook(t *orchestrator.Task, w orchestrator.Webhook) error {
	w.Due, w.Sent = t.LastEvent, t.LastEvent
	list := slices.DeleteFunc(slices.Clone(t.Webhooks), func(old orchestrator.Webhook) bool { return old.ID == w.ID })
	if len(list) >= orchestrator.MaxWebhooks {
		return fault.New(fault.FailedPrecondition, "TOO_MANY_WEBHOOKS", "task %s has %d receivers of push notifications; remove one", t.ID, len(list))
	}
	list = append(list, w)
	t.Webhooks = list
	return nil
}

// receivers returns the receivers that a submission names.
func (e *Engine) receivers(s *Submission) ([]orchestrator.Webhook, error) {
	if s.Webhook == nil {
		return nil, nil
	}
	w, err := e.newWebhook(*s.Webhook)
	return []orchestrator.Webhook{w}, err
}

// newWebhook checks a receiver and fills in its id.
func (e *Engine) newWebhook(w orchestrator.Webhook) (orchestrator.Webhook, error) {
	if e.Notifier == nil {
		return w, fault.New(fault.FailedPrecondition, "PUSH_NOT_SUPPORTED", "push notifications are not sent here")
	}
	if err := e.Notifier.Check(w); err != nil {
		return w, err
	}
	w.ID, w.CreateTime = cmp.Or(w.ID, randomHex(8)), e.now()
	return w, nil
}

// RemoveWebhook removes a receiver. It is no error if there is none with the id.
func (e *Engine) RemoveWebhook(ctx context.Context, k orchestrator.Key, id string) error {
	_, err := e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		list := slices.DeleteFunc(slices.Clone(t.Webhooks), func(w orchestrator.Webhook) bool { return w.ID == id })
		if len(list) == len(t.Webhooks) {
			return nil, orchestrator.ErrUnchanged
		}
		t.Webhooks = list
		return nil, nil
	})
	return err
}

// oblige notes in the task that its receivers have to be notified of its new state. It is part of the change itself; events is how many events are
// written with it.
func oblige(t *orchestrator.Task, before a2apb.TaskState, events int) {
	if len(t.Webhooks) == 0 || t.State == before || events == 0 {
		return
	}
	t.Webhooks = slices.Clone(t.Webhooks)
	for i := range t.Webhooks {
		t.Webhooks[i].Due = t.LastEvent + uint64(events) //nolint:gosec // a handful
	}
}

// owed has a task's receivers notified by the replica that works on the task.
func (e *Engine) owed(t *orchestrator.Task) {
	if e.Notifier == nil || !t.Unpaid() {
		return
	}
	if _, held := e.Leases.Epoch(t.Shard); !held {
		e.Wake(keyOf(t)) // hands it over
		return
	}
	e.outbox.wake(keyOf(t))
}

// outbox holds the tasks whose receivers are to be notified now.
type outbox struct {
	signal chan struct{} // holds one token when due may have work
	room   *room         // by the host of the first receiver to be notified

	mu     sync.Mutex
	due    map[orchestrator.Key]struct{}    // guarded by mu
	busy   map[orchestrator.Key]struct{}    // guarded by mu
	timers map[orchestrator.Key]*time.Timer // guarded by mu
}

func newOutbox(logger *slog.Logger) *outbox {
	o := &outbox{
		signal: make(chan struct{}, 1), due: make(map[orchestrator.Key]struct{}), busy: make(map[orchestrator.Key]struct{}),
		timers: make(map[orchestrator.Key]*time.Timer),
	}
	o.room = newRoom(pushers, o.wake, func(whose orchestrator.Key, in int) {
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
	select {
	case o.signal <- struct{}{}:
	default:
	}
}

// take returns the tasks that are due and not in progress.
func (o *outbox) take() []orchestrator.Key {
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

// done ends work on a task's receivers, or puts it off for a while.
func (o *outbox) done(k orchestrator.Key, again time.Duration) {
	o.mu.Lock()
	delete(o.busy, k)
	_, due := o.due[k]
	if again > 0 && !due {
		o.timers[k] = time.AfterFunc(again, func() { o.wake(k) })
	}
	o.mu.Unlock()
	if due {
		o.wake(k)
	}
}

// runOutbox notifies receivers until ctx ends. What remains is in the store.
func (e *Engine) runOutbox(ctx context.Context) {
	var running errgroup.Group
	running.SetLimit(pushers)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-e.outbox.signal:
			for _, k := range e.outbox.take() {
				running.Go(func() error {
					e.outbox.done(k, e.pay(ctx, k))
					return nil
				})
			}
		}
	}
	_ = running.Wait() // the tasks return no errors
	e.outbox.mu.Lock()
	defer e.outbox.mu.Unlock()
	for _, t := range e.outbox.timers {
		t.Stop()
	}
}

// pay notifies a task's receivers and returns when to continue; 0 means never, or when it is the task's turn.
func (e *Engine) pay(ctx context.Context, k orchestrator.Key) time.Duration {
	t, err := e.Store.Task(ctx, k)
	due := slices.IndexFunc(t.Webhooks, func(w orchestrator.Webhook) bool { return w.Unpaid() && e.pause(&w) <= 0 })
	if due < 0 {
		e.outbox.room.pass(k)
	} else if leave := e.outbox.room.enter(&t, hostKey(&t.Webhooks[due])); leave != nil {
		defer leave()
	} else {
		return 0
	}
	var again time.Duration
	for _, w := range t.Webhooks {
		if err != nil || ctx.Err() != nil {
			break
		}
		if _, held := e.Leases.Epoch(t.Shard); !held {
			return 0
		}
		if !w.Unpaid() {
			continue
		}
		wait := e.pause(&w)
		if wait <= 0 {
			wait, err = e.tell(ctx, &t, w)
		}
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
	}
	if err != nil && ctx.Err() == nil {
		e.Logger.ErrorContext(ctx, "receivers of push notifications could not be told; trying again", errAttr(err))
		return storeRetry
	}
	return again
}

// pause returns how long to wait before a receiver is notified again.
func (e *Engine) pause(w *orchestrator.Webhook) time.Duration {
	return left(w.NextDue, e.now(), 2*maxPushPause)
}

// tell notifies one receiver of each state that the task entered, in order, and stores how far it got.
func (e *Engine) tell(ctx context.Context, t *orchestrator.Task, w orchestrator.Webhook) (again time.Duration, err error) {
	sent, failure := w.Sent, error(nil)
	state, err := e.stateAt(ctx, t, w.Sent)
	if err != nil {
		return 0, err
	}
	for sent < w.Due && failure == nil {
		events, err := e.Store.Events(ctx, keyOf(t), sent, pushPage)
		if err != nil || len(events) == 0 {
			return 0, err
		}
		for _, ev := range events {
			if ev.Sequence > w.Due { // the task as it was read does not cover later events
				break
			}
			if ev.State != state {
				if failure = e.Notifier.Send(ctx, w, t, ev); failure != nil {
					break
				}
			}
			state, sent = ev.State, ev.Sequence
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return e.settlePush(ctx, t, w, sent, failure)
}

// stateAt returns the task's state after an event, or one that no task has when there was none.
func (e *Engine) stateAt(ctx context.Context, t *orchestrator.Task, sequence uint64) (a2apb.TaskState, error) {
	if sequence == 0 {
		return -1, nil
	}
	events, err := e.Store.Events(ctx, keyOf(t), sequence-1, 1)
	if err != nil || len(events) == 0 {
		return -1, err
	}
	return events[0].State, nil
}

// settlePush stores the result of notifying a receiver.
func (e *Engine) settlePush(ctx context.Context, told *orchestrator.Task, w orchestrator.Webhook, sent uint64, failure error) (again time.Duration, err error) {
	progress := sent > w.Sent
	_, err = e.update(ctx, keyOf(told), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		again = 0
		i := slices.IndexFunc(t.Webhooks, func(now orchestrator.Webhook) bool { return now.ID == w.ID && now.CreateTime.Equal(w.CreateTime) })
		if i < 0 {
			return nil, orchestrator.ErrUnchanged
		}
		t.Webhooks = slices.Clone(t.Webhooks)
		now := &t.Webhooks[i]
		now.Sent = max(now.Sent, sent)
		if failure == nil || progress {
			now.Tries, now.NextDue = 0, time.Time{}
		}
		if failure == nil {
			return nil, nil
		}
		now.Tries++
		f := fault.From(failure)
		if now.Tries >= pushTries || f.Kind != fault.Unavailable {
			now.GaveUp = f.Reason
			return []orchestrator.Event{event(t, orchestrator.EventPush, fmt.Sprintf("receiver %s is no longer told: %s (tries: %d)", w.ID, f.Message, now.Tries))}, nil
		}
		again = max(jittered(min(pushPause<<min(now.Tries-1, 20), maxPushPause)), f.RetryAfter)
		now.NextDue = e.now().Add(again)
		return nil, nil
	})
	return again, err
}
