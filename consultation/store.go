package consultation

import "context"

// Store keeps entries. It must be safe for concurrent use, and everything that it acknowledges must be durable.
//
// A function argument may be called more than once and must not call the store. Its error is returned unchanged, and nothing is written then. Any
// other error means that the store failed, and is never a NotFound fault.
type Store interface {
	// Append calls next with all entries of the task, oldest first, and adds the consultation that next returns after them. Nobody else adds an entry
	// for the task in between. The consultation must have the same tenant and task, and a new id.
	Append(ctx context.Context, tenant, taskID string, next func(entries []Entry) (Consultation, error)) error

	// Update replaces the entry of a consultation by the one that change returns. Nobody else changes it in between. The consultation's id, tenant
	// and task must not change. If the tenant has no such consultation, the result is a NotFound fault with the reason CONSULTATION_NOT_FOUND.
	Update(ctx context.Context, tenant, id string, change func(Entry) (Entry, error)) error

	// Get returns the entry of a consultation, or the same NotFound fault.
	Get(ctx context.Context, tenant, id string) (Entry, error)

	// List returns all entries of a task in the order in which they were added. To have none is no error.
	List(ctx context.Context, tenant, taskID string) ([]Entry, error)
}
