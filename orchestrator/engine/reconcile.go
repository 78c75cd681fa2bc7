package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// reasonUnknown is why a task fails whose work must not be done twice, when nobody knows whether it was done.
const reasonUnknown = "OUTCOME_UNKNOWN"

// clockSlack is how far an agent's clock may be behind ours when its tasks are listed by time.
const clockSlack = 5 * time.Minute

// reconcile finds out what became of a message that was sent, or was about to be, by a process that died or lost its connection. An agent that lists its
// tasks is asked for the one that the message began, and t goes on with that. Otherwise the message is sent again under the same id, which an agent that
// deduplicates takes as the same; a task whose work must not be done twice fails instead.
func (e *Engine) reconcile(ctx context.Context, t *orchestrator.Task, client agentclient.Client) error {
	a := t.Open()
	if a == nil || a.Sends == 0 || a.RemoteTaskID != "" || a.NotTaken {
		return nil
	}
	if finder, ok := client.(agentclient.Finder); ok {
		remote, err := finder.Find(ctx, a.MessageID, a.StartTime.Add(-clockSlack))
		switch {
		case err == nil && remote != nil:
			t.EditOpen().RemoteTaskID = remote.GetId() // intend writes it
			return nil
		case agentclient.Retryable(err):
			return err
		}
	}
	if t.AtMostOnce {
		return fault.New(fault.FailedPrecondition, reasonUnknown,
			"the message to %s was sent %d times without an answer, its work must not be done twice, and the agent does not say what became of it: find out from the agent, then submit a new task if needed",
			t.Agent, a.Sends)
	}
	return nil
}
