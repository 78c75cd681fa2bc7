package engine

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// takeStrayFailure takes the failure with which the agent ended its answer as that of its task, unless that has ended or waits.
func (c *conversation) takeStrayFailure(ctx context.Context) error {
	c.mu.Lock()
	failed, id := c.remote.StrayFailure(), c.remote.ID
	c.mu.Unlock()
	if failed == nil || c.endedOrWaiting() {
		return nil
	}
	return c.handleResponses(ctx)(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
		TaskId: id, Status: failed,
	}}})
}
