package orchestrator

import (
	"fmt"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// ReasonUnreadable is the reason of errors about a task that is in the store and cannot be read.
const ReasonUnreadable = "TASK_UNREADABLE"

const unreadable = "task %s is in the store but cannot be read: start the version of quorate that wrote it, or restore a copy of the store"

// UnreadableError returns the FailedPrecondition fault "TASK_UNREADABLE" for a task that a store cannot decode. Only the log shows cause.
func UnreadableError(k Key, cause error) error {
	f := fault.New(fault.FailedPrecondition, ReasonUnreadable, unreadable, k.ID).With("task", k.ID)
	f.Ours, f.Cause = true, cause
	return f
}

// Unreadable returns what lists contain in place of a task that cannot be read: what its key says, and an error. It has no owner, so only those who may
// see all tasks see it. Without it, one such task would hide all others, or be forgotten.
func Unreadable(k Key, created time.Time) Task {
	return Task{
		Tenant: k.Tenant, ID: k.ID, ContextID: k.ID, CreateTime: created, UpdateTime: created, Deadline: created,
		Error: &Error{Reason: ReasonUnreadable, Message: fmt.Sprintf(unreadable, k.ID)},
	}
}
