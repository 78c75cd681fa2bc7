package orchestrator

import (
	"context"
	"time"
)

// Key names a task in a store.
type Key struct {
	Tenant string
	ID     string
}

// Store keeps tasks and their event logs. Every write is durable before it returns. Missing tasks are fault NotFound "TASK_NOT_FOUND".
type Store interface {
	// Create stores a new task and its first events in one step. When the key exists the stored task is returned with created false and nothing is written.
	Create(ctx context.Context, t Task, events ...Event) (stored Task, created bool, err error)
	// Task returns one task.
	Task(ctx context.Context, k Key) (Task, error)
	// Update is the one read–change–write: change sees the stored task and edits it; the edited task, its next version and the returned events are
	// written in one step. change may run more than once and must depend on nothing but its argument. Its error is returned and nothing is written.
	// A change that returns ErrUnchanged writes nothing; Update then returns the stored task without an error.
	Update(ctx context.Context, k Key, change func(t *Task) ([]Event, error)) (Task, error)
	// Tasks lists a tenant's tasks newest first, without the messages and Artifacts; after is the last key of the page before, empty for the first.
	Tasks(ctx context.Context, tenant string, after string, limit int) (page []Task, next string, err error)
	// Unfinished lists the keys of all tenants' tasks of a shard that are not settled, in key order after the given one. It is only for finding work: a
	// task that has just been created may be missing for some seconds, and one that has just settled may still be there.
	Unfinished(ctx context.Context, shard int, after Key, limit int) ([]Key, error)
	// Events lists a task's events after a sequence number, in order.
	Events(ctx context.Context, k Key, after uint64, limit int) ([]Event, error)
}

// ErrUnchanged is what a change returns when there is nothing to write.
var ErrUnchanged = unchanged{}

type unchanged struct{}

func (unchanged) Error() string { return "unchanged" }

// ContextKey names a conversation of a caller with one agent.
type ContextKey struct {
	Tenant    string
	Owner     string
	ContextID string
	Agent     string
}

// ContextLife is how long an agent's own id of a context is remembered at least after it was last used; after twice that time it is forgotten.
const ContextLife = 90 * 24 * time.Hour

// ContextStore remembers under which id an agent knows a context that several tasks share.
type ContextStore interface {
	// AgentContext returns the agent's own id of a context, which is a use of it; empty when none is known.
	AgentContext(ctx context.Context, k ContextKey) (string, error)
	// SetAgentContext stores the agent's own id of a context, in place of an earlier one.
	SetAgentContext(ctx context.Context, k ContextKey, id string) error
}
