package orchestrator

import (
	"context"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// Key identifies a task in a store.
type Key struct {
	Tenant string
	ID     string
}

// Missing returns the NotFound fault for a task that does not exist, with the reason TASK_NOT_FOUND. Whoever may not see a task gets the same.
func Missing(k Key) error {
	return fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", fault.Clip(k.ID)).With("task", fault.Clip(k.ID))
}

// Store keeps tasks and their event logs. Every write is durable before it returns. A task that does not exist is the fault of Missing.
type Store interface {
	// Create stores a new task and its first events in one step. If the key exists, it writes nothing and returns the stored task, with created
	// false.
	Create(ctx context.Context, t Task, events ...Event) (stored Task, created bool, err error)
	// Task returns one task; if it cannot be read, fault FailedPrecondition "TASK_UNREADABLE".
	Task(ctx context.Context, k Key) (Task, error)
	// TaskPart is Task for readers that need only a part of the content. The rest may be nil: lists have their length and lack messages and artifacts.
	TaskPart(ctx context.Context, k Key, want Part) (Task, error)
	// Update is the one read-change-write: change gets the stored task and edits it; the edited task, under the next version, and the returned events
	// are written in one step. change may run more than once and must depend on nothing but its argument. An error of change is returned, and nothing
	// is written; for ErrUnchanged, Update returns the stored task and no error.
	Update(ctx context.Context, k Key, change func(t *Task) ([]Event, error)) (Task, error)
	// Tasks lists a tenant's tasks, newest first, without messages and artifacts. after is the next that the page before returned, empty for the
	// first page. A task that cannot be read is listed as Unreadable.
	Tasks(ctx context.Context, tenant string, after string, limit int) (page []Task, next string, err error)
	// Unfinished lists the keys of the tasks of a shard, of all tenants, that are not settled, in key order behind after. It serves to find work
	// only: a task that was just created may be missing for some seconds, and one that has just settled may still be listed.
	Unfinished(ctx context.Context, shard int, after Key, limit int) ([]Key, error)
	// Events lists a task's events with sequence numbers greater than after, in order.
	Events(ctx context.Context, k Key, after uint64, limit int) ([]Event, error)
}

// Recurs reports whether an error of a Store is likely to occur again however soon it is asked. Any other one may be over in a second.
func Recurs(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Internal || kind == fault.FailedPrecondition
}

// Part says which content of a task is read. That of each kind may be megabytes.
type Part struct {
	Messages  bool // the first one, and those of the turns
	Artifacts bool
}

// ErrUnchanged is returned by a change that has nothing to write.
var ErrUnchanged = unchanged{}

type unchanged struct{}

func (unchanged) Error() string { return "unchanged" }

// ContextKey identifies a conversation of a caller with one agent.
type ContextKey struct {
	Tenant    string
	Owner     string
	ContextID string
	Agent     string // empty for the names of the agents that have worked in the context, in place of an id
}

// ContextLife is how long an agent's id of a context is kept at least after its last use; within 30 days after that it is gone.
const ContextLife = 90 * 24 * time.Hour

// ContextStore keeps the ids that agents gave to contexts which several tasks share.
type ContextStore interface {
	// AgentContext returns the agent's id of a context, or "" when none is known. Reading it counts as a use.
	AgentContext(ctx context.Context, k ContextKey) (string, error)
	// SetAgentContext stores the agent's id of a context and replaces an earlier one.
	SetAgentContext(ctx context.Context, k ContextKey, id string) error
}
