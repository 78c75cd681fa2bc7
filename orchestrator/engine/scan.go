package engine

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

const (
	scanTick  = time.Second
	scanPage  = 500
	scanCalls = 16 // at a time
)

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
		case <-e.scans.gained:
		case <-ticker.C:
		}
		e.firstPolls.forget(time.Now())
		groups := e.scans.takeDue(time.Now())
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
				e.scans.repeat(group)
			}
			return err
		})
	}
	return calls.Wait()
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
			e.runners.recheck(k)
		}
		if len(keys) < scanPage {
			return nil
		}
		after = keys[len(keys)-1]
	}
}
