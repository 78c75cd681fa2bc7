package engine_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// replaced is a store in which, between a read of a task and one of its events, a new task takes the place of the first: the same request comes again just
// when that is no longer kept. The new one has fewer events.
type replaced struct{ orchestrator.Store }

func (s replaced) Events(ctx context.Context, k orchestrator.Key, after uint64, limit int) ([]orchestrator.Event, error) {
	if after > 0 {
		return nil, nil
	}
	return s.Store.Events(ctx, k, after, min(limit, 1))
}

func TestAWatchEndsWithATaskThatIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: delivers("done")})
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
	w.awaitEnd(id)
	w.before = func(s orchestrator.Store) orchestrator.Store { return replaced{s} }
	w.restart()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var seen []uint64
	task, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: id}, 0, true, func(e orchestrator.Event) error {
		seen = append(seen, e.Sequence)
		return ctx.Err()
	})
	if err != nil || !task.Ended() || len(seen) != 1 {
		t.Errorf("Watch() = %s, %v after events %v, want the end after the first event", task.State, err, seen)
	}
}

// TestNewWorkUnderAnOldRequestIDIsDoneAnew has a task be submitted under the request id of one that is no longer kept. Its agent deduplicates by message
// id, and the tasks of a plan's steps are kept for longer than that of the plan.
func TestNewWorkUnderAnOldRequestIDIsDoneAnew(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]orchestrator.Route{"by an agent": {Agent: "worker"}, "by a plan": toAll} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorker()
				s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w, actors: map[string]*actor{"worker": {name: "worker", skill: "work"}}}
				s.start()
				defer s.stop()
				for _, content := range []string{"the old work", "the new work"} {
					task, err := s.engine.Submit(t.Context(), engine.Submission{Tenant: tenant, Caller: "tester", Message: text(content), Route: route, RequestID: "r"})
					if err != nil {
						t.Fatal(err)
					}
					s.pass()
					s.store.Forget(task.Key())
				}
				if sent := w.sent(); len(w.done) != 2 {
					t.Errorf("the agent got the messages %v and did %d works, want two", sent, len(w.done))
				}
			})
		})
	}
}
