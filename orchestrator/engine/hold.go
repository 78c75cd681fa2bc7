package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
)

// A replica that takes a group over looks for its tasks at once, and again soon after, because an index may lag behind; then ever so often.
const (
	scanTick  = time.Second
	scanPage  = 500
	scanCalls = 16 // at a time
)

var scanDelays = []time.Duration{2 * time.Second, 8 * time.Second}

// scan says when a group's tasks are looked for next.
type scan struct {
	round int
	due   time.Time
}

// errNotHeld says that another replica works on the task, or nobody does.
var errNotHeld = errors.New("the task's shard is not held")

// hold makes t a task that this replica may work on: what it writes carries the epoch of its lease. A task that a later owner has worked on shows that the
// lease is gone, whatever this replica still believes.
func (e *Engine) hold(r *runner, t *orchestrator.Task) error {
	e.mu.Lock()
	r.group = orchestrator.GroupOf(t.Shard)
	e.mu.Unlock()
	epoch, held := e.Leases.Epoch(t.Shard)
	if !held || t.OwnerEpoch > epoch {
		return errNotHeld
	}
	t.OwnerEpoch = epoch
	return nil
}

// handOver tells whoever holds the task's shard that there is something to do.
func (e *Engine) handOver(ctx context.Context, t *orchestrator.Task) {
	e.isFresh(t) // whoever works on it sends it as if it had been sent before
	if t.Settled() {
		return
	}
	if err := e.Leases.Tell(ctx, t.Shard, keyOf(t)); err != nil {
		e.Logger.WarnContext(ctx, "the replica that works on a task could not be told; it finds the task when it looks for work next", taskAttr(t), errAttr(err))
	}
}

// holder is the engine as the lease manager sees it.
type holder struct{ *Engine }

// Gained has the group's tasks looked for.
func (e holder) Gained(group int) {
	e.mu.Lock()
	e.scans[group] = scan{due: time.Now()}
	e.scanBy(time.Now())
	e.mu.Unlock()
	select {
	case e.gained <- struct{}{}:
	default:
	}
}

// Drop stops the group's runners and waits until they have ended.
func (e holder) Drop(ctx context.Context, group int) {
	e.mu.Lock()
	delete(e.scans, group)
	for k, a := range e.timers {
		if a.group == group {
			a.timer.Stop()
			delete(e.timers, k)
			delete(e.troubled, k)
		}
	}
	var ending []*runner
	for _, r := range e.runners {
		if r.group == group {
			r.cancel()
			ending = append(ending, r)
		}
	}
	e.mu.Unlock()
	e.room.drop(group)
	e.looks.drop(group)
	e.outbox.room.drop(group)
	for _, r := range ending {
		select {
		case <-r.done:
		case <-ctx.Done():
			return
		}
	}
}

// Look has a task looked at that another replica has changed: at once when it is to be canceled, or its agent to be sent a reply. When the store does not
// tell in time, the task is looked at all the same.
func (e holder) Look(ctx context.Context, k orchestrator.Key) {
	ctx, cancel := context.WithTimeout(ctx, storeRetry)
	defer cancel()
	if t, err := e.Store.Task(ctx, k); err == nil && urgent(&t) {
		e.interrupt(k)
		return
	}
	e.Wake(k)
	e.notify(k)
}

// scan wakes the unfinished tasks of the groups that are due. A task that waits looks at its situation and goes on waiting.
func (e *Engine) scan(ctx context.Context) {
	var calls errgroup.Group
	calls.SetLimit(scanCalls)
	for _, group := range e.dueScans() {
		calls.Go(func() error {
			err := e.scanGroup(ctx, group)
			if err != nil {
				e.rescan(group)
			}
			return err
		})
	}
	if err := calls.Wait(); err != nil && ctx.Err() == nil {
		e.Logger.ErrorContext(ctx, "unfinished tasks could not be listed; trying again", slog.Any("error", err))
	}
}

// dueScans returns the groups whose tasks are to be looked for now, and sets when they are next.
func (e *Engine) dueScans() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if now.Before(e.nextScan) {
		return nil
	}
	e.nextScan = now.Add(e.Rescan)
	var groups []int
	for group, s := range e.scans {
		if now.Before(s.due) {
			e.scanBy(s.due)
			continue
		}
		groups = append(groups, group)
		delay := jittered(e.Rescan)
		if s.round < len(scanDelays) {
			delay = scanDelays[s.round]
		}
		e.scans[group] = scan{round: s.round + 1, due: now.Add(delay)}
		e.scanBy(now.Add(delay))
	}
	return groups
}

// scanBy sees to it that groups are looked at no later than then. The caller holds mu.
func (e *Engine) scanBy(then time.Time) {
	if then.Before(e.nextScan) {
		e.nextScan = then
	}
}

// rescan has a group looked at again as soon as possible.
func (e *Engine) rescan(group int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s, ok := e.scans[group]; ok {
		e.scans[group] = scan{round: max(s.round-1, 0), due: time.Now()}
		e.scanBy(time.Now())
	}
}

func (e *Engine) scanGroup(ctx context.Context, group int) error {
	for shard := group * orchestrator.ShardsPerGroup; shard < (group+1)*orchestrator.ShardsPerGroup; shard++ {
		if err := e.scanShard(ctx, shard); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) scanShard(ctx context.Context, shard int) error {
	var after orchestrator.Key
	for {
		keys, err := e.Store.Unfinished(ctx, shard, after, scanPage)
		if err != nil {
			return err
		}
		for _, k := range keys {
			e.lookAnew(k)
		}
		if len(keys) < scanPage {
			return nil
		}
		after = keys[len(keys)-1]
	}
}
