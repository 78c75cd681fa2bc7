package consultation

import "context"

// Store keeps entries. It must be safe for concurrent use, and everything it acknowledges must be durable.
//
// A function that is handed in may run more than once and must not call the store. Its error is returned as it is, and
// then nothing is written. Other errors mean that the store could not tell; they are never a NotFound fault.
type Store interface {
	// Append calls next with all entries of the task, oldest first, and adds the consultation that next returns after them.
	// No other entry of the task is added in between. The consultation must be of the same tenant and task; its id must be
	// new.
	Append(ctx context.Context, tenant, taskID string, next func(entries []Entry) (Consultation, error)) error

	// Update replaces the entry of the consultation by what change returns for it; nobody else changes it in between. The
	// consultation's id, tenant and task must stay. It returns a NotFound fault with the reason CONSULTATION_NOT_FOUND when
	// the tenant has no such consultation.
	Update(ctx context.Context, tenant, id string, change func(Entry) (Entry, error)) error

	// Get returns the entry of a consultation, or the same NotFound fault.
	Get(ctx context.Context, tenant, id string) (Entry, error)

	// List returns all entries of a task in the order they were added; none is no error.
	List(ctx context.Context, tenant, taskID string) ([]Entry, error)
}
