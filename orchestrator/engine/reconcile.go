package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// reasonUnknown is why a task fails that must not be done twice when it is unknown whether it was done.
const reasonUnknown = "OUTCOME_UNKNOWN"

// clockSlack is how far an agent's clock may lag behind ours when its tasks are listed by time.
const clockSlack = 5 * time.Minute

// reconcile finds out what became of a message that was sent, or was about to be, by a process that died or lost its connection. If the agent can
// list its tasks, it looks there for the one that the message began, and t continues with that. Otherwise the message is sent again under the same
// id, by which an agent can recognize it; a task that must not be done twice fails instead. onReached is called when the agent answers.
func (e *Engine) reconcile(ctx context.Context, t *orchestrator.Task, client agentclient.Client, onReached func()) error {
	a := t.OpenAttempt()
	if a == nil || !mayHaveBegun(a) {
		return nil
	}
	if finder, ok := client.(agentclient.Finder); ok {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		remote, err := findBegun(ctx, a, finder)
		if err == nil {
			onReached()
		}
		switch {
		case err == nil && remote != nil:
			if err := agenttask.CheckIDs(agenttask.Snapshot(remote)); err != nil {
				return err
			}
			t.EditOpenAttempt().RemoteTaskID = remote.GetId() // storeIntent stores it
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

// mayHaveBegun reports whether the message of an attempt may have begun a task that the agent has not named yet.
func mayHaveBegun(a *orchestrator.Attempt) bool {
	return a.Sends > 0 && a.RemoteTaskID == "" && !a.NotTaken
}

// findBegun returns the task of the agent that the message of an attempt began, or nil.
func findBegun(ctx context.Context, a *orchestrator.Attempt, finder agentclient.Finder) (*a2apb.Task, error) {
	return finder.Find(ctx, a.MessageID, a.StartTime.Add(-clockSlack))
}
