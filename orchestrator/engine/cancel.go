package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// Cancel records that a task is to be canceled and returns the task; its agent is told, and the task ends soon after. Canceling again has no further
// effect. A task that has ended is a FailedPrecondition fault with the reason TASK_ENDED. If etag is not empty and not the task's, the result is a
// Conflict fault with the reason ETAG_MISMATCH.
func (e *Engine) Cancel(ctx context.Context, k orchestrator.Key, who, etag string) (orchestrator.Task, error) {
	t, err := e.update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.Ended() {
			return nil, fault.New(fault.FailedPrecondition, "TASK_ENDED", "task %s has already ended (%s)", t.ID, t.State).With("task", t.ID)
		}
		if t.CancelAsked {
			return nil, orchestrator.ErrUnchanged
		}
		if err := t.CheckEtag(etag); err != nil {
			return nil, err
		}
		t.CancelAsked = true
		return []orchestrator.Event{event(t, orchestrator.EventCanceling, who+" asked for the end of the task")}, nil
	})
	if err != nil {
		return t, err
	}
	e.interrupt(k)
	return t, nil
}

// cancelRemote asks the agent to stop and returns a note about the result.
func (e *Engine) cancelRemote(ctx context.Context, t *orchestrator.Task) string {
	a := t.OpenAttempt()
	if a == nil {
		return ""
	}
	if a.RemoteTaskID == "" {
		return "the agent was not told: it had not named its task yet"
	}
	ctx, cancel := context.WithTimeout(agentclient.WithExtensions(context.WithoutCancel(ctx), requestedExtensions(t)), 5*time.Second)
	defer cancel()
	agent, err := e.agent(ctx, t.Tenant, t.Agent)
	if err == nil {
		var client agentclient.Client
		if client, _, err = e.Connect.Connect(agent.Name, agent.Card); err == nil {
			var remote *a2apb.Task
			if remote, err = client.Cancel(ctx, a.RemoteTaskID); err == nil {
				return describeStop(remote.GetStatus().GetState())
			}
		}
	}
	return "the agent did not confirm: " + fault.From(withholdWords(t, err)).Message
}

// describeStop describes the state that an agent answered to a request to stop. It may have ended just before.
func describeStop(state a2apb.TaskState) string {
	if state == a2apb.TaskState_TASK_STATE_CANCELED {
		return "the agent stopped its task"
	}
	return "the agent was asked to stop; its task is in state " + state.String()
}
