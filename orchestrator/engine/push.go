package engine

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
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

// notePushDue notes in the task that its receivers have to be notified of its new state. It is part of the change itself; events is how many events are
// written with it.
func notePushDue(t *orchestrator.Task, before a2apb.TaskState, events int) {
	if len(t.Webhooks) == 0 || t.State == before || events == 0 {
		return
	}
	t.Webhooks = slices.Clone(t.Webhooks)
	for i := range t.Webhooks {
		t.Webhooks[i].Due = t.LastEvent + uint64(events) //nolint:gosec // a handful
	}
}

// queuePush has a task's receivers notified by the replica that works on the task.
func (e *Engine) queuePush(t *orchestrator.Task) {
	if e.Notifier == nil || !t.PushDue() {
		return
	}
	if _, held := e.Leases.Epoch(t.Shard); !held {
		e.Wake(t.Key()) // hands it over
		return
	}
	e.outbox.wake(t.Key())
}

// runOutbox notifies receivers until ctx ends. What remains is in the store.
func (e *Engine) runOutbox(ctx context.Context) {
	var running errgroup.Group
	running.SetLimit(pushers)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-e.outbox.signal:
			for _, k := range e.outbox.dueTasks() {
				running.Go(func() error {
					again, err := e.deliverPush(ctx, k)
					if err != nil && ctx.Err() == nil {
						again = e.pushRetryDelay(ctx, k, err)
					}
					e.outbox.done(k, again, err != nil)
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

// deliverPush notifies a task's receivers and returns when to continue; 0 means never, or when the task is granted a place. An error is the store's.
func (e *Engine) deliverPush(ctx context.Context, k orchestrator.Key) (again time.Duration, _ error) {
	t, err := e.Store.Task(ctx, k)
	due := slices.IndexFunc(t.Webhooks, func(w orchestrator.Webhook) bool { return w.PushDue() && e.pushDelay(&w) <= 0 })
	if due < 0 {
		e.outbox.limiter.Forfeit(k)
	} else if leave := e.outbox.limiter.Acquire(&t, hostKey(&t.Webhooks[due])); leave != nil {
		defer leave()
	} else {
		return 0, nil
	}
	for _, w := range t.Webhooks {
		if err != nil || ctx.Err() != nil {
			break
		}
		if _, held := e.Leases.Epoch(t.Shard); !held {
			return 0, nil
		}
		if !w.PushDue() {
			continue
		}
		wait := e.pushDelay(&w)
		if wait <= 0 {
			wait, err = e.pushTo(ctx, &t, w)
		}
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
	}
	return again, err
}

// pushRetryDelay returns when to continue after an error of the store; 0 means never. Thousands of tasks may wait for the same store, so few errors in a
// row are logged.
func (e *Engine) pushRetryDelay(ctx context.Context, k orchestrator.Key, err error) time.Duration {
	if fault.KindOf(err) == fault.NotFound { // the task is not kept any more
		return 0
	}
	wait := storeRetry
	if orchestrator.Recurs(err) { // each try may tell the receivers once more
		wait = maxBackoff
	}
	if times := e.outbox.failed(k); fault.Logged(times) {
		e.Logger.ErrorContext(ctx, "receivers of push notifications could not be told; trying again", taskIDAttr(k.ID), slog.Int("times", times), slog.Duration("in", wait), errAttr(err))
	}
	return wait
}

// pushDelay returns how long to wait before a receiver is notified again.
func (e *Engine) pushDelay(w *orchestrator.Webhook) time.Duration {
	return pause.Left(w.NextDue, e.now(), 2*maxPushPause)
}

// pushTo notifies one receiver of each state that the task entered, in order, and stores how far it got.
func (e *Engine) pushTo(ctx context.Context, t *orchestrator.Task, w orchestrator.Webhook) (again time.Duration, err error) {
	sent, failure := w.Sent, error(nil)
	state, err := e.stateAt(ctx, t, w.Sent)
	if err != nil {
		return 0, err
	}
	for sent < w.Due && failure == nil {
		events, err := e.Store.Events(ctx, t.Key(), sent, pushPage)
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
	return e.storePushResult(ctx, t, w, sent, failure)
}

// stateAt returns the task's state after an event, or one that no task has when there was none.
func (e *Engine) stateAt(ctx context.Context, t *orchestrator.Task, sequence uint64) (a2apb.TaskState, error) {
	if sequence == 0 {
		return -1, nil
	}
	events, err := e.Store.Events(ctx, t.Key(), sequence-1, 1)
	if err != nil || len(events) == 0 {
		return -1, err
	}
	return events[0].State, nil
}

// storePushResult stores the result of notifying a receiver.
func (e *Engine) storePushResult(ctx context.Context, told *orchestrator.Task, w orchestrator.Webhook, sent uint64, failure error) (again time.Duration, err error) {
	progress := sent > w.Sent
	_, err = e.update(ctx, told.Key(), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		again = 0
		i := slices.IndexFunc(t.Webhooks, func(now orchestrator.Webhook) bool { return now.ID == w.ID && now.CreateTime.Equal(w.CreateTime) })
		if i < 0 {
			return nil, orchestrator.ErrUnchanged
		}
		if got := t.Webhooks[i].Sent; got > w.Sent && got >= sent { // another replica, which has the task by now, has told it as much
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
		again = max(pause.Jittered(min(pushPause<<min(now.Tries-1, 20), maxPushPause)), f.RetryAfter)
		now.NextDue = e.now().Add(again)
		return nil, nil
	})
	return again, err
}
