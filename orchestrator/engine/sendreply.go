package engine

import (
	"context"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// unsentReply returns the reply that is on its way to the agent, or nil.
func (c *conversation) unsentReply() *orchestrator.Turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.task.PendingReply()
}

// expectReaction prepares for what the agent says when a reply is on its way, or has arrived and may not have been read; remote is the state of its
// task before.
func (c *conversation) expectReaction(remote *a2apb.Task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.task.Turns)
	if n == 0 || c.task.Turns[n-1].FromAgent {
		return
	}
	reply := &c.task.Turns[n-1]
	c.remote.ExpectReaction(reply.Question, reply.Done || agenttask.ReplyArrived(remote, reply))
	c.sent = time.Now()
}

// sendReply sends the reply. If the agent refuses it because it continued without one, that is as good.
func (c *conversation) sendReply(ctx context.Context, reply *orchestrator.Turn) error {
	t := c.current()
	m := agentmessage.Reply(ctx, &t, reply)
	var err error
	if m.ReferenceTaskIds, err = c.engine.agentTasks(ctx, &t, m.GetReferenceTaskIds()); err != nil {
		return err
	}
	if !c.engine.holds(&t) { // by now another replica may have sent it, and later ones
		return errMoved
	}
	took := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.remote.ReplyTaken()
		c.sent = time.Now()
		c.scheduleSave(ctx)
	}
	err = c.client.Send(ctx, m, c.stream, func(r *a2apb.StreamResponse) error {
		took()
		return c.handleResponses(ctx)(r)
	})
	if err == nil || !c.survives(ctx, err) {
		return err
	}
	remote, asked := c.getTask(ctx, m.GetTaskId(), replyHistory)
	switch {
	case asked != nil:
		return err
	case agenttask.ReplyArrived(remote, reply):
		took()
	case slices.Contains([]string{agentclient.ReasonRefused, agentclient.ReasonDenied}, fault.ReasonOf(err)):
		c.noteDeclined(ctx, reply, err)
	default:
		return err
	}
	return c.handleResponses(ctx)(agenttask.Snapshot(remote))
}

// noteDeclined has the agent ask again: it has refused the reply, and still waits for one.
func (c *conversation) noteDeclined(ctx context.Context, reply *orchestrator.Turn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remote.ReplyDeclined()
	c.note(ctx, "%s did not take message %d and still waits for one: %s", c.task.Agent, reply.Number, fault.From(withholdWords(&c.task, err)).Message)
}

// reactionTime is how long after a reply an agent may still show the old question before it counts as asking again.
const reactionTime = 10 * time.Second

// stopAwaitingReaction stops waiting for an agent to react to a reply: it keeps asking the same question, so it asks again.
func (c *conversation) stopAwaitingReaction(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.sent) > reactionTime && c.remote.StopAwaitingReaction() {
		c.scheduleSave(ctx)
	}
}
