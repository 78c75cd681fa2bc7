package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// settleTime is how long the task of an agent that has ended its answer with an error may stay as it is before the error counts as the agent's failure.
const settleTime = time.Minute

// brokenAnswer is an answer that an agent ended with an error although it had named its task. The error may be of the answer only, so what the agent
// says of the task when it is asked counts. But several servers never learn that their agent has broken down, and say for ever that it is working.
type brokenAnswer struct {
	why      error
	last     *a2apb.Task // as the agent showed it last, without the time of its state; nil: not yet
	lastNews time.Time
}

// survives reports whether the agent's task is to be asked for after its answer ended with an error.
func (c *conversation) survives(ctx context.Context, err error) bool {
	if ctx.Err() != nil || agentclient.Retryable(err) || isOurs(err) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.remote.ID == "" || c.refused || c.remote.Ended() {
		return false
	}
	if fault.ReasonOf(err) != agentclient.ReasonDenied { // a credential that expires ends streams, and no work
		c.broken = &brokenAnswer{why: err}
	}
	return true
}

// counts reports whether the error is the failure of the agent, which was asked for its task and answered with t or err.
func (b *brokenAnswer) counts(t *a2apb.Task, err error) bool {
	if err != nil {
		return !agentclient.Retryable(err) && !isOurs(err)
	}
	now := proto.CloneOf(t)    // t becomes part of the conversation, which changes it
	now.Status.Timestamp = nil // some agents give each answer the present time
	if !proto.Equal(b.last, now) {
		b.last, b.lastNews = now, time.Now()
	}
	return time.Since(b.lastNews) > settleTime
}

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
