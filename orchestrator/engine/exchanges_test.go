package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// keeper is an agent that keeps each task until it is let go.
type keeper struct {
	*actor
	begun chan struct{} // has a token for each task that came
	done  chan struct{} // a token lets one go; closed: all
	most  atomic.Int32  // tasks that it had at a time
}

func newKeeper(name string) *keeper {
	k := &keeper{begun: make(chan struct{}, 100), done: make(chan struct{})}
	var now atomic.Int32
	k.actor = &actor{name: name, play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		defer now.Add(-1)
		for n := now.Add(1); ; {
			if old := k.most.Load(); n <= old || k.most.CompareAndSwap(old, n) {
				break
			}
		}
		k.begun <- struct{}{}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-k.done:
			return say(snapshot("r-"+m.GetMessageId(), a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		}
	}}
	return k
}

// has waits until so many more tasks have come.
func (k *keeper) has(tb testing.TB, n int) {
	tb.Helper()
	late := time.After(limit)
	for i := range n {
		select {
		case <-k.begun:
		case <-late:
			tb.Fatalf("%s got %d tasks, want %d", k.name, i, n)
		}
	}
}

func quick() *actor {
	return &actor{name: "quick", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		return say(snapshot("r-"+m.GetMessageId(), a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
	}}
}

// submitMany submits tasks to an agent and returns their ids.
func (w *world) submitMany(n int, agent string) (ids []string) {
	w.t.Helper()
	for range n {
		ids = append(ids, w.submit(engine.Submission{Route: orchestrator.Route{Agent: agent}}).ID)
	}
	return ids
}

func (w *world) completed(ids ...string) {
	w.t.Helper()
	for _, id := range ids {
		if task, _ := w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			w.t.Errorf("task %s ended in state %s: %v", id, task.State, task.Error)
		}
	}
}

// TestAnAgentThatKeepsItsTasksLeavesRoomForOthers has one agent keep as many tasks as it gets, which is half of what there is room for; then two.
func TestAnAgentThatKeepsItsTasksLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	slow, slower := newKeeper("slow"), newKeeper("slower")
	w := newWorldWith(t, func(w *world) { w.bounds.exchanges = 9 }, slow.actor, slower.actor, quick())
	ids := w.submitMany(5, "slow")
	slow.has(t, 5)
	ids = append(ids, w.submitMany(7, "slow")...) // tasks that come at the same time overtake one another
	w.completed(w.submitMany(3, "quick")...)
	ids = append(ids, w.submitMany(12, "slower")...)
	slower.has(t, 2)
	w.completed(w.submitMany(3, "quick")...)
	if a, b := slow.most.Load(), slower.most.Load(); a != 5 || b != 2 {
		t.Errorf("the agents had %d and %d tasks at a time, want 5 and 2", a, b)
	}
	last := w.task(ids[11])
	if last.State != a2apb.TaskState_TASK_STATE_SUBMITTED || len(last.Attempts) > 0 {
		t.Errorf("the last task is in state %s with %d attempts, want one that nobody has sent", last.State, len(last.Attempts))
	}
	close(slow.done)
	close(slower.done)
	w.completed(ids...)
	_, log := w.awaitEnd(ids[11])
	if !slices.ContainsFunc(log, func(e orchestrator.Event) bool { return strings.HasPrefix(e.Detail, "waits until slow") }) {
		t.Errorf("the log does not say that the task waited: %v", log)
	}
	for id, n := range slow.executed {
		if n != 1 {
			t.Errorf("message %s was executed %d times", id, n)
		}
	}
}

// TestATurnThatNobodyTakesGoesToTheNext cancels tasks that stand in line before others.
func TestATurnThatNobodyTakesGoesToTheNext(t *testing.T) {
	t.Parallel()
	slow := newKeeper("slow")
	w := newWorldWith(t, func(w *world) { w.bounds.exchanges = 2 }, slow.actor)
	ids := w.submitMany(1, "slow")
	slow.has(t, 1)
	ids = append(ids, w.submitMany(5, "slow")...)
	for _, id := range ids[1:4] {
		if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
			t.Fatal(err)
		}
		if task, _ := w.awaitEnd(id); task.State != a2apb.TaskState_TASK_STATE_CANCELED {
			t.Errorf("a task in line that was canceled ended in state %s", task.State)
		}
	}
	close(slow.done)
	w.completed(ids[0], ids[4], ids[5])
	if n, most := len(slow.executed), slow.most.Load(); n != 3 || most != 1 {
		t.Errorf("the agent got %d tasks, %d at a time, want 3 and 1", n, most)
	}
}

// TestWhoIsWithAnAgentHoldsUpNobody has fewer runners than tasks that are with agents.
func TestWhoIsWithAnAgentHoldsUpNobody(t *testing.T) {
	t.Parallel()
	slow := newKeeper("slow")
	w := newWorldWith(t, func(w *world) { w.bounds.running = 1 }, slow.actor, quick())
	ids := w.submitMany(4, "slow")
	slow.has(t, len(ids))
	w.completed(w.submitMany(4, "quick")...)
	close(slow.done)
	w.completed(ids...)
}

// TestALineIsThereAfterARestart ends the process while tasks are with their agent and others wait.
func TestALineIsThereAfterARestart(t *testing.T) {
	t.Parallel()
	slow := newKeeper("slow")
	w := newWorldWith(t, func(w *world) { w.bounds.exchanges = 4 }, slow.actor)
	ids := w.submitMany(8, "slow")
	slow.has(t, 2)
	w.restart()
	slow.has(t, 2)
	close(slow.done)
	w.completed(ids...)
	if most := slow.most.Load(); most != 2 {
		t.Errorf("the agent had %d tasks at a time, want 2", most)
	}
}

// full is a store that has no room for a new task while it is full.
type full struct {
	orchestrator.Store
	is atomic.Bool
}

func (f *full) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (stored orchestrator.Task, created bool, err error) {
	if f.is.Load() {
		return stored, false, errors.New("the disk is full")
	}
	return f.Store.Create(ctx, t, events...)
}

// TestATaskThatIsNotStoredTakesNoPlace has room for one task with the agent.
func TestATaskThatIsNotStoredTakesNoPlace(t *testing.T) {
	t.Parallel()
	store := &full{}
	w := newWorldWith(t, func(w *world) {
		w.bounds.exchanges = 2
		w.before = func(s orchestrator.Store) orchestrator.Store {
			store.Store = s
			return store
		}
	}, quick())
	w.completed(w.submitMany(1, "quick")...) // there are leases from now on
	store.is.Store(true)
	s := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("hello"), Route: orchestrator.Route{Agent: "quick"}}
	if task, err := w.engine.Submit(t.Context(), s); err == nil {
		t.Fatalf("Submit() = %s, want the error of the store", task.ID)
	}
	store.is.Store(false)
	w.completed(w.submitMany(1, "quick")...)
}
