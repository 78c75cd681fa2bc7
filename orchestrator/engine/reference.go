package engine

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxReferences is how many of the tasks that a message refers to are looked up, each in the store.
const maxReferences = 32

// agentTasks returns the ids that a message of t refers to as t's agent knows them. Only a task of the same caller that this agent did has an id of its own
// there; any other stays as it is.
func (e *Engine) agentTasks(ctx context.Context, t *orchestrator.Task, ids []string) ([]string, error) {
	theirs := slices.Clone(ids) // the message's own are the caller's
	for i, id := range ids[:min(len(ids), maxReferences)] {
		if len(id) != len(t.ID) { // none of ours
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

// agentTask returns the id that an agent gave to its last attempt at a task, or the task's own when it gave none.
func agentTask(t *orchestrator.Task, agent string) string {
	for _, a := range slices.Backward(t.Attempts) {
		if a.Agent == agent && a.RemoteTaskID != "" {
			return a.RemoteTaskID
		}
	}
	return t.ID
}
