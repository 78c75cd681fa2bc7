package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// endedOrWaiting reports whether the agent has ended its task or waits for its caller.
func (c *conversation) endedOrWaiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remote.ended() || c.remote.waitsForCaller()
}

// poll reads the task until it has ended or waits for its caller. It is for agents that do not stream, or whose stream ended early.
func (c *conversation) poll(ctx context.Context) error {
	wait := 50 * time.Millisecond
	var announced <-chan struct{}
	for first := true; !c.endedOrWaiting(); first = false {
		c.mu.Lock()
		remote, agent := c.remote.taskID, c.task.Agent
		c.mu.Unlock()
		if remote == "" {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "agent %q ended its answer without a task or a message", agent)
		}
		if err := waitForNews(ctx, wait, announced); err != nil {
			return err
		}
		if first {
			var stop func()
			announced, stop = c.announcements(ctx, remote)
			defer stop()
		}
		wait = min(wait*3/2, pollEvery)
		t, err := c.getTask(ctx, remote, 0)
		if err != nil {
			return c.handleForgotten(ctx, err)
		}
		if err := c.handleResponses(ctx)(snapshot(t)); err != nil {
			return err
		}
		c.stopAwaitingReaction(ctx)
	}
	return nil
}
