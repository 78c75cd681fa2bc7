package engine

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// resume continues a task that an earlier process began. An agent that forgot it gets the message again, under the same message id.
func (c *conversation) resume(ctx context.Context, remote string) error {
	var history int32
	if c.unsentReply() != nil {
		history = replyHistory
	}
	t, err := c.getTask(ctx, remote, history)
	if err != nil {
		return c.handleForgotten(ctx, err)
	}
	now := c.current()
	recognize(&now, t)
	c.expectReaction(t)
	if err := c.handleResponses(ctx)(agenttask.Snapshot(t)); err != nil {
		return err
	}
	if reply := c.unsentReply(); reply != nil && !agenttask.ReplyArrived(t, reply) {
		if err := c.sendReply(ctx, reply); err != nil {
			return err
		}
	} else if c.stream && !c.endedOrWaiting() {
		// A stream makes polling unnecessary. An agent that refuses one, or breaks it off, is polled.
		if err := c.subscribe(ctx, remote); err != nil && (ctx.Err() != nil || c.hasRefused()) {
			return err
		}
	}
	return c.poll(ctx)
}

// subscribe receives the stream of a task that an earlier exchange began. What it brings may have gaps, or say things twice: A2A 0.3 does not begin such
// a stream with the whole task, and of 1.0 several servers, such as a2a-js, read the task some time before or after they begin to listen. So the task is
// read once more at the end.
func (c *conversation) subscribe(ctx context.Context, remote string) error {
	err := c.client.Subscribe(ctx, remote, c.handleResponses(ctx))
	c.mu.Lock()
	done := c.hasResult()
	c.mu.Unlock()
	if !done {
		return err
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	t, failed := c.getTask(look, remote, 0)
	if failed != nil { // then there is no more than what was heard
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if refused := c.remote.Correct(t); refused != nil {
		c.refused = true
		return refused
	}
	return err
}

// hasRefused reports whether the agent has said something that a task does not take.
func (c *conversation) hasRefused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// replyHistory is how many of the latest messages of an agent's task a reply is looked for among, to learn whether it arrived.
const replyHistory = 20

// handleForgotten handles an agent that no longer knows the task that it accepted: the next step starts the attempt anew by sending the message
// again, at once the first time and after a while from then on. Any other error, and this one from an agent that keeps forgetting, is returned.
func (c *conversation) handleForgotten(ctx context.Context, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if fault.ReasonOf(err) != agentclient.ReasonTaskNotFound || c.task.OpenAttempt().Sends >= maxSends {
		return err
	}
	c.onReached()
	if c.task.AtMostOnce {
		return fault.New(fault.FailedPrecondition, reasonUnknown,
			"%s no longer knows the task that it accepted, and its work must not be done twice: find out from the agent what became of it, then submit a new task if needed", c.task.Agent)
	}
	if err := c.write(ctx, func(t *orchestrator.Task) []orchestrator.Event {
		a := t.EditOpenAttempt()
		a.RemoteTaskID, a.RemoteContext, a.Question = "", "", ""
		t.Artifacts, t.Metadata = nil, nil
		if a.Sends > 1 { // it has forgotten the task before
			t.NextDue = c.engine.now().Add(pause.Jittered(c.engine.backoff(a.Sends - 1)))
		}
		if lost := t.EditPendingReply(); lost != nil {
			lost.Done = true
		}
		return []orchestrator.Event{event(t, orchestrator.EventAttempt, t.Agent+" no longer knows its task; it is sent again under the same message id")}
	}); err != nil {
		return err
	}
	c.finished = true // nothing that was heard of the lost task is stored
	return errMoved
}
