package engine

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// The A2A project's server for JavaScript, before 1.0, reports the failure of an agent that breaks down under a new id in the task's own context, ends
// its answer, and says ever after that the task is working. So such a failure counts as that of the task if it is the last thing in the answer.

// isStray reports whether a response is about another task than the one that the agent named first.
func (h *remoteState) isStray(r *a2apb.StreamResponse) bool {
	id := taskIDOf(r)
	return h.taskID != "" && id != "" && id != h.taskID
}

// noteStrayFailure notes that another task in the same context has failed, if an update says so.
func (h *remoteState) noteStrayFailure(u *a2apb.TaskStatusUpdateEvent) {
	if u.GetStatus().GetState() == a2apb.TaskState_TASK_STATE_FAILED && u.GetContextId() != "" && u.GetContextId() == h.contextID {
		h.strayFailure = u.GetStatus()
	}
}

// takeStrayFailure takes the failure with which the agent ended its answer as that of its task, unless that has ended or waits.
func (c *conversation) takeStrayFailure(ctx context.Context) error {
	c.mu.Lock()
	failed, id := c.remote.strayFailure, c.remote.taskID
	c.mu.Unlock()
	if failed == nil || c.endedOrWaiting() {
		return nil
	}
	return c.handleResponses(ctx)(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
		TaskId: id, Status: failed,
	}}})
}
