package push

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

const (
	maxTries   = 15 // for one event; with the pauses in between, about an hour and a quarter
	firstPause = time.Second
	maxPause   = 15 * time.Minute
	page       = 200      // events
	maxDetail  = 64 << 10 // bytes of an event

	storePause    = time.Second // before the store is asked again that was away
	maxStorePause = time.Minute // before it is asked again what it has refused
)

// deliver notifies a task's receivers and returns when to continue; 0 means never, or when the task is granted a place. An error is the store's.
func (o *Outbox) deliver(ctx context.Context, k orchestrator.Key) (again time.Duration, _ error) {
	t, err := o.Store.Task(ctx, k)
	due := slices.IndexFunc(t.Webhooks, func(w orchestrator.Webhook) bool { return w.PushDue() && o.delay(&w) <= 0 })
	if due < 0 {
		o.limiter.Forfeit(k)
	} else if leave := o.limiter.Acquire(&t, hostKey(&t.Webhooks[due])); leave != nil {
		defer leave()
	} else {
		return 0, nil
	}
	for _, w := range t.Webhooks {
		if err != nil || ctx.Err() != nil {
			break
		}
		if !o.Held(&t) {
			return 0, nil
		}
		if !w.PushDue() {
			continue
		}
		wait := o.delay(&w)
		if wait <= 0 {
			wait, err = o.tell(ctx, &t, w)
		}
		if wait > 0 && (again == 0 || wait < again) {
			again = wait
		}
	}
	return again, err
}

// hostKey returns a key for the host of a receiver.
func hostKey(w *orchestrator.Webhook) orchestrator.Key {
	u, err := url.Parse(w.URL)
	if err != nil {
		return orchestrator.Key{ID: w.URL} // sending to such a URL will be refused
	}
	return orchestrator.Key{ID: u.Host}
}

// retryDelay returns when to continue after an error of the store; 0 means never. Thousands of tasks may wait for the same store, so few errors in a
// row are logged.
func (o *Outbox) retryDelay(ctx context.Context, k orchestrator.Key, err error) time.Duration {
	if fault.KindOf(err) == fault.NotFound { // the task is not kept any more
		return 0
	}
	wait := storePause
	if orchestrator.Recurs(err) { // each try may tell the receivers once more
		wait = maxStorePause
	}
	if times := o.failed(k); fault.Logged(times) {
		o.Logger.ErrorContext(ctx, "receivers of push notifications could not be told; trying again", slog.String("task_id", k.ID), slog.Int("times", times), slog.Duration("in", wait), slog.Any("error", err))
	}
	return wait
}

// delay returns how long to wait before a receiver is notified again.
func (o *Outbox) delay(w *orchestrator.Webhook) time.Duration {
	return pause.Left(w.NextDue, o.Now(), 2*maxPause)
}

// tell notifies one receiver of each state that the task entered, in order, and stores how far it got.
func (o *Outbox) tell(ctx context.Context, t *orchestrator.Task, w orchestrator.Webhook) (again time.Duration, err error) {
	sent, failure := w.Sent, error(nil)
	state, err := o.stateAt(ctx, t, w.Sent)
	if err != nil {
		return 0, err
	}
	for sent < w.Due && failure == nil {
		events, err := o.Store.Events(ctx, t.Key(), sent, page)
		if err != nil || len(events) == 0 {
			return 0, err
		}
		for _, ev := range events {
			if ev.Sequence > w.Due { // the task as it was read does not cover later events
				break
			}
			if ev.State != state {
				if failure = o.Notifier.Send(ctx, w, t, ev); failure != nil {
					break
				}
			}
			state, sent = ev.State, ev.Sequence
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return o.storeResult(ctx, t, w, sent, failure)
}

// stateAt returns the task's state after an event, or one that no task has when there was none.
func (o *Outbox) stateAt(ctx context.Context, t *orchestrator.Task, sequence uint64) (a2apb.TaskState, error) {
	if sequence == 0 {
		return -1, nil
	}
	events, err := o.Store.Events(ctx, t.Key(), sequence-1, 1)
	if err != nil || len(events) == 0 {
		return -1, err
	}
	return events[0].State, nil
}

// storeResult stores the result of notifying a receiver.
func (o *Outbox) storeResult(ctx context.Context, told *orchestrator.Task, w orchestrator.Webhook, sent uint64, failure error) (again time.Duration, err error) {
	progress := sent > w.Sent
	_, err = o.Update(ctx, told.Key(), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
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
		if progress {
			now.Tries, now.NextDue = 0, time.Time{}
		}
		if failure == nil {
			return nil, nil
		}
		now.Tries++
		f := fault.From(failure)
		if now.Tries >= maxTries || f.Kind != fault.Unavailable {
			now.GaveUp = f.Reason
			detail := fmt.Sprintf("receiver %s is no longer told: %s (tries: %d)", w.ID, f.Message, now.Tries)
			return []orchestrator.Event{{Type: orchestrator.EventPush, State: t.State, Phase: t.Phase, Detail: bounded.Text(detail, maxDetail)}}, nil
		}
		again = max(pause.Jittered(min(firstPause<<min(now.Tries-1, 20), maxPause)), f.RetryAfter)
		now.NextDue = o.Now().Add(again)
		return nil, nil
	})
	return again, err
}
