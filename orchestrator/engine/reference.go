package engine

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxReferences bounds how many of the tasks that a message refers to are looked up in the store.
const maxReferences = 32

// agentTasks translates the task ids that a message of t refers to into those of t's agent. Only tasks that this agent did for the same caller have
// an id there; other ids stay as they are.
func (e *Engine) agentTasks(ctx context.Context, t *orchestrator.Task, ids []string) ([]string, error) {
	theirs := slices.Clone(ids) // the ids in the message are the caller's
	for i, id := range ids[:min(len(ids), maxReferences)] {
		if len(id) != len(t.ID) { // not an id of ours
			continue
		}
		named, err := e.Store.Task(ctx, orchestrator.Key{Tenant: t.Tenant, ID: id})
		switch {
		case fault.KindOf(err) == fault.NotFound:
		case err != nil:
			return nil, err
		case named.Owner == t.Owner:
			theirs[i] = agentTask(&named, t.Agent)
		}
	}
	return theirs, nil
}

// agentTask returns the id that an agent gave to its last attempt at a task, or the task's own id when it gave none.
func agentTask(t *orchestrator.Task, agent string) string {
	for _, a := range slices.Backward(t.Attempts) {
		if a.Agent == agent && a.RemoteTaskID != "" {
			return a.RemoteTaskID
		}
	}
	return t.ID
}
