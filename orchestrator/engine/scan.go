package engine

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// A replica that takes over a group searches for its tasks at once, soon again because an index may lag behind, and then at intervals.
const (
	scanTick  = time.Second
	scanPage  = 500
	scanCalls = 16 // at a time
)

var scanDelays = []time.Duration{2 * time.Second, 8 * time.Second}

// scan says when to search for a group's tasks next. The zero value is for a group whose tasks are not searched for.
type scan struct {
	round int
	due   time.Time
}

// runScans searches for unfinished tasks until ctx ends. It has a goroutine of its own: where the index of unfinished tasks is slow or throttled, a search
// of many groups takes minutes, for which no other task may wait.
func (e *Engine) runScans(ctx context.Context) {
	ticker := time.NewTicker(scanTick)
	defer ticker.Stop()
	failed := 0 // searches in a row
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.gained:
		case <-ticker.C:
		}
		groups := e.dueScans()
		if len(groups) == 0 {
			continue
		}
		if err := e.scan(ctx, groups); err == nil {
			failed = 0
		} else if failed++; fault.Logged(failed) && ctx.Err() == nil {
			e.Logger.ErrorContext(ctx, "unfinished tasks could not be listed; trying again", slog.Int("times", failed), errAttr(err))
		}
	}
}

// scan wakes the unfinished tasks of groups. A task that waits checks its situation and goes on waiting.
func (e *Engine) scan(ctx context.Context, groups []int) error {
	var calls errgroup.Group
	calls.SetLimit(scanCalls)
	for _, group := range groups {
		calls.Go(func() error {
			err := e.scanGroup(ctx, group)
			if err != nil {
				e.rescan(group)
			}
			return err
		})
	}
	return calls.Wait()
}

// dueScans returns the groups whose tasks are to be searched for now, and sets when they are due next.
func (e *Engine) dueScans() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if now.Before(e.nextScan) {
		return nil
	}
	e.nextScan = now.Add(e.Rescan)
	e.firstPolls.forget(now)
	var groups []int
	for group, s := range &e.scans {
		if s.due.IsZero() {
			continue
		}
		if !now.Before(s.due) {
			groups = append(groups, group)
			s = scan{round: s.round + 1, due: now.Add(e.scanDelay(s.round))}
			e.scans[group] = s
		}
		e.scanNoLaterThan(s.due)
	}
	return groups
}

// scanDelay returns how long it is from one search to the next, when there were round searches before.
func (e *Engine) scanDelay(round int) time.Duration {
	if round < len(scanDelays) {
		return scanDelays[round]
	}
	return pause.Jittered(e.Rescan)
}

// scanNoLaterThan makes groups due no later than then. The caller holds mu.
func (e *Engine) scanNoLaterThan(then time.Time) {
	if then.Before(e.nextScan) {
		e.nextScan = then
	}
}

// rescan makes a group due as soon as possible.
func (e *Engine) rescan(group int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.scans[group]; !s.due.IsZero() {
		e.scans[group] = scan{round: max(s.round-1, 0), due: time.Now()}
		e.scanNoLaterThan(time.Now())
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
			e.recheck(k)
		}
		if len(keys) < scanPage {
			return nil
		}
		after = keys[len(keys)-1]
	}
}
