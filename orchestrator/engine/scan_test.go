package engine_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
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

// unsearchable is a store that does not answer where unfinished tasks are looked for, as when only its index hangs.
type unsearchable struct {
	orchestrator.Store
	searched chan struct{}
}

func (s unsearchable) Unfinished(ctx context.Context, _ int, _ orchestrator.Key, _ int) ([]orchestrator.Key, error) {
	select {
	case s.searched <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func TestANewTaskDoesNotWaitForASearch(t *testing.T) {
	searched := make(chan struct{}, 1)
	w := newWorld(t, &actor{name: "agent", play: delivers("done")})
	w.before = func(s orchestrator.Store) orchestrator.Store { return unsearchable{s, searched} }
	w.restart()
	<-searched
	ended, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if ended.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state %s, want it completed while unfinished tasks are looked for", ended.State)
	}
}

// TestATaskThatIsNotKeptAnyMoreIsNotLookedFor wakes a task that the store does not have, as an outcome does that comes after a short retention.
func TestATaskThatIsNotKeptAnyMoreIsNotLookedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := progressEvents{Handler: slog.DiscardHandler}
		w := newWorker()
		s := &simulation{t: t, worker: w, client: w, logs: &said, store: &storetest.Memory{}}
		s.start()
		defer s.stop()
		<-time.After(time.Second) // the leases are there
		before := s.store.Calls()
		<-time.After(time.Minute)
		looks := s.store.Calls() - before // for work
		s.engine.Wake(orchestrator.Key{Tenant: tenant, ID: "absent"})
		<-time.After(time.Minute)
		if n := s.store.Calls() - before - 2*looks; n > 10 || said.errors.Load() > 0 {
			t.Errorf("a task that is gone was looked for %d times in a minute, with %d errors in the log, want once, with none", n, said.errors.Load())
		}
	})
}
