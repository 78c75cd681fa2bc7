package engine

import (
	"maps"
	"sync"

	"github.com/quorate/quorate/orchestrator"
)

// freshTasks are the tasks that this process has accepted together with the intent to send their message, and has not sent yet. The zero value has none.
type freshTasks struct {
	mu    sync.Mutex
	tasks map[orchestrator.Key]heldLease // guarded by mu
}

// heldLease is the lease under which a task was accepted.
type heldLease struct {
	group int
	epoch uint64
}

// mark notes that the task was accepted together with the intent to send its message.
func (f *freshTasks) mark(t *orchestrator.Task) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tasks == nil {
		f.tasks = make(map[orchestrator.Key]heldLease)
	}
	f.tasks[t.Key()] = heldLease{group: orchestrator.GroupOf(t.Shard), epoch: t.OwnerEpoch}
}

// claim reports, once, whether this process accepted the task together with the intent to send, has held its lease ever since, and has not sent the message
// yet. The note may be that of another submission of the same request, whose task was not the one that was stored; so the task has to show its only sending,
// and nothing that came of it.
func (f *freshTasks) claim(t *orchestrator.Task) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	under, ok := f.tasks[t.Key()]
	delete(f.tasks, t.Key())
	a := t.OpenAttempt()
	return ok && under.epoch == t.OwnerEpoch && a != nil && a.Number == 1 && a.Sends == 1 && a.RemoteTaskID == "" && a.Error == nil
}

// forget removes the note of a task that was not stored, has ended, or goes elsewhere: its message has to be treated as sent.
func (f *freshTasks) forget(k orchestrator.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tasks, k)
}

// dropGroup removes the notes of a group that another replica may hold by now.
func (f *freshTasks) dropGroup(group int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.tasks, func(_ orchestrator.Key, under heldLease) bool { return under.group == group })
}
