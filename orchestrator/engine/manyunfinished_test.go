package engine_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/quorate/quorate/orchestrator"
)

// crowded is a store with a full page of other tasks before those of one shard. They have ended meanwhile, and are not kept any more.
type crowded struct {
	orchestrator.Store
	shard int
}

const others = "others" // their tenant

func (s crowded) Unfinished(ctx context.Context, shard int, after orchestrator.Key, limit int) (keys []orchestrator.Key, err error) {
	switch {
	case shard != s.shard:
	case after == orchestrator.Key{}:
		for n := range limit {
			keys = append(keys, orchestrator.Key{Tenant: others, ID: strconv.Itoa(n)})
		}
		return keys, nil
	case after.Tenant == others:
		after = orchestrator.Key{}
	}
	return s.Store.Unfinished(ctx, shard, after, limit)
}

// TestATaskBehindManyOthersIsFound has a process start where only a search finds a task, on the second page.
func TestATaskBehindManyOthersIsFound(t *testing.T) {
	t.Parallel()
	slow := newKeeper("slow")
	w := newWorld(t, slow.actor)
	id := w.submitMany(1, "slow")[0]
	slow.has(t, 1)
	shard := w.task(id).Shard
	w.before = func(s orchestrator.Store) orchestrator.Store { return crowded{s, shard} }
	w.restart()
	slow.has(t, 1)
	close(slow.done)
	w.completed(id)
}
