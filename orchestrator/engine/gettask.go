package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

const (
	firstAskDelay = time.Second
	refusedFor    = 30 * time.Second // how long an agent may answer with errors when it is asked for a task that it has accepted
)

// getTask returns the agent's task as it is now, with some of the latest messages of its history. To ask is harmless, and the work may be hours old: an
// agent that answers with an error is asked again for a while, before the error counts.
func (c *conversation) getTask(ctx context.Context, remote string, history int32) (t *a2apb.Task, err error) {
	for began, wait := time.Now(), firstAskDelay; ; wait = min(wait*2, pollEvery) {
		t, err = c.askForTask(ctx, remote, history)
		if fault.ReasonOf(err) != agentclient.ReasonRefused || time.Since(began) >= refusedFor || pause.For(ctx, wait) != nil {
			return t, err
		}
	}
}

func (c *conversation) askForTask(ctx context.Context, remote string, history int32) (*a2apb.Task, error) {
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
