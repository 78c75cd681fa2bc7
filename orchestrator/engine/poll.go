package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// endedOrWaiting reports whether the agent has ended its task or waits for its caller.
func (c *conversation) endedOrWaiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.remote.Ended() || c.remote.WaitsForCaller()
}

// answerTime is how long an agent may take to say how its tasks are. For one that takes such calls and answers none, a task would otherwise wait for ever,
// also past its deadline.
const answerTime = time.Minute

// poll reads the task until it has ended or waits for its caller. It is for agents that do not stream, or whose stream ended early.
func (c *conversation) poll(ctx context.Context) error {
	wait, began := 50*time.Millisecond, time.Now()
	var announced <-chan struct{}
	for first := true; !c.endedOrWaiting(); first = false {
		c.mu.Lock()
		remote, agent := c.remote.ID, c.task.Agent
		c.mu.Unlock()
		if remote == "" {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "agent %q ended its answer without a task or a message", agent)
		}
		if err := waitForNews(ctx, pause.Jittered(wait), announced); err != nil {
			return err
		}
		if first {
			var stop func()
			announced, stop = c.announcements(ctx, remote)
			defer stop()
		}
		wait = nextPollWait(wait, time.Since(began))
		t, err := c.getTask(ctx, remote, 0)
		if c.broken != nil && c.broken.counts(t, err) {
			return c.broken.why
		}
		if err != nil {
			return c.handleForgotten(ctx, err)
		}
		if err := c.handleResponses(ctx)(agenttask.Snapshot(t)); err != nil {
			return err
		}
		c.notePolled(ctx, time.Since(began))
		c.stopAwaitingReaction(ctx)
	}
	return nil
}

const (
	pollEvery  = 5 * time.Second  // at the most, for a remote task whose stream ended before the task did
	pollSeldom = 30 * time.Second // at the most, for one that goes on for long
	noteAfter  = 10 * time.Second // how long an agent is polled before the log says so
)

// nextPollWait returns how long to wait after a poll. After some minutes it grows with the time for which the agent has been polled: thousands of tasks
// may be with one agent for hours.
func nextPollWait(wait, polled time.Duration) time.Duration {
	return min(wait*3/2, max(pollEvery, min(polled/20, pollSeldom)))
}

// notePolled notes for the log, once, why the agent is asked for a task that it was to stream to the end. polled is for how long it has been.
func (c *conversation) notePolled(ctx context.Context, polled time.Duration) {
	if c.pollNoted || !c.stream || c.broken == nil && polled < noteAfter || c.endedOrWaiting() {
		return
	}
	c.pollNoted = true
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.note(ctx, "%s does not stream the rest of its task; it is asked for it until it has ended", c.task.Agent)
		return
	}
	why := fault.From(withholdWords(&c.task, c.broken.why)).Message
	c.note(ctx, "%s; its task goes on, so it is asked for it until nothing has changed for %s", why, settleTime)
}

// How long an agent may answer with errors when it is asked for a task that it has accepted.
const (
	firstAskDelay = time.Second
	refusedFor    = 30 * time.Second
	deniedFor     = 5 * time.Minute // until a credential that was renewed is known everywhere: Kubernetes takes two minutes to update a file
)

// getTask returns the agent's task as it is now, with some of the latest messages of its history. To ask is harmless, and the work may be hours old: an
// agent that answers with an error is asked again for a while, before the error counts.
func (c *conversation) getTask(ctx context.Context, remote string, history int32) (t *a2apb.Task, err error) {
	noted := false
	for began, wait := time.Now(), firstAskDelay; ; wait = min(wait*2, pollEvery) {
		t, err = c.askForTask(ctx, remote, history)
		patience := time.Duration(0)
		switch fault.ReasonOf(err) {
		case agentclient.ReasonRefused:
			patience = refusedFor
		case agentclient.ReasonDenied:
			patience = deniedFor
			if !noted {
				c.noteDenied(ctx, err)
				noted = true
			}
		}
		if time.Since(began) >= patience || pause.For(ctx, wait) != nil {
			return t, err
		}
	}
}

// noteDenied notes for the log that the agent does not let Quorate ask for the task.
func (c *conversation) noteDenied(ctx context.Context, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(ctx, "%s; it is asked for its task again for %s", fault.From(withholdWords(&c.task, err)).Message, deniedFor)
}

// maxAsks is how many of its tasks an agent is asked for at a time. Thousands of tasks may be with one agent: without a bound, those that are asked for at about
// the same time each open a connection and run beside one another, and all other tasks wait for all of them.
const maxAsks = 64

func (c *conversation) askForTask(ctx context.Context, remote string, history int32) (*a2apb.Task, error) {
	end, err := c.engine.asks.Take(ctx, c.agent)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	t, err := c.client.Task(ctx, remote, history)
	if id := t.GetId(); err == nil && id != "" && id != remote {
		return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent was asked for its task %q and answered with another", remote)
	}
	if err == nil && t.GetStatus() == nil { // to go on asking would take until the deadline
		return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent was asked for its task %q and answered with one that has no status", remote)
	}
	return t, err
}
