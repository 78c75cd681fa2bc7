package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// Cancellation is a request to cancel a task.
type Cancellation struct {
	Key    orchestrator.Key
	Caller string
	Etag   string           // of the task when it was read; empty matches any
	With   *structpb.Struct // metadata that the agent gets with each request to stop; may be nil
	Again  bool             // a task that was canceled on request is no error, so that a retry is safe; A2A has it as one
}

// Cancel records that a task is to be canceled and returns the task; its agent is told, and the task ends soon after. So are the agents of its steps.
// Canceling again has no further effect. A task that has ended is, unless Again excepts it, a FailedPrecondition fault with the reason TASK_ENDED, one
// whose etag is not the given one a Conflict fault with the reason ETAG_MISMATCH. Metadata that cannot be kept is an InvalidArgument fault with the
// reason CANCEL_METADATA_INVALID.
func (e *Engine) Cancel(ctx context.Context, c Cancellation) (orchestrator.Task, error) {
	with, err := orchestrator.NewCancelMetadata(c.With)
	if err != nil {
		return orchestrator.Task{}, err
	}
	t, err := e.update(ctx, c.Key, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.Ended() {
			if c.Again && t.CancelAsked && t.State == a2apb.TaskState_TASK_STATE_CANCELED {
				return nil, orchestrator.ErrUnchanged
			}
			return nil, fault.New(fault.FailedPrecondition, "TASK_ENDED", "task %s has already ended (%s)", t.ID, t.State).With("task", t.ID)
		}
		if t.CancelAsked {
			return nil, orchestrator.ErrUnchanged
		}
		if err := t.CheckEtag(c.Etag); err != nil {
			return nil, err
		}
		t.CancelAsked, t.CancelWith = true, with
		return []orchestrator.Event{event(t, orchestrator.EventCanceling, c.Caller+" asked for the end of the task")}, nil
	})
	if err != nil {
		return t, err
	}
	e.runners.interrupt(c.Key)
	return t, nil
}

const (
	stopTime  = 5 * time.Second // for an agent to say that it stops
	stopPause = time.Second     // before one that could not be reached is asked once more
)

// cancelRemote asks the agent to stop and returns a note about the result and, unless it is nil, the agent's task as that then was.
func (e *Engine) cancelRemote(ctx context.Context, t *orchestrator.Task) (note string, remote *a2apb.Task) {
	a := t.OpenAttempt()
	if a == nil {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(agentclient.WithExtensions(context.WithoutCancel(ctx), agentmessage.Extensions(t)), stopTime)
	defer cancel()
	_, client, _, err := e.connect(ctx, t)
	id := a.RemoteTaskID
	if id == "" && err == nil {
		id = unnamedTask(ctx, a, client)
	}
	if id == "" {
		return "the agent was not told: it had not named its task yet", nil
	}
	if err == nil {
		remote, err = askToStop(ctx, client, id, t.CancelWith)
	}
	if note = describeStop(remote.GetStatus().GetState()); err != nil {
		note = "the agent did not confirm: " + fault.From(withholdWords(t, err)).Message
	}
	if remote.GetId() != id { // it is another one
		return note, nil
	}
	return note, remote
}

// askToStop asks an agent to stop its task and returns that. One that could not be reached is asked once more: it may only have closed a connection, or be
// busy, and nobody asks it later, so that it would work for nobody. The task of one that refuses is read: it may have ended just before.
func askToStop(ctx context.Context, client agentclient.Client, id string, with orchestrator.CancelMetadata) (*a2apb.Task, error) {
	remote, err := client.Cancel(ctx, id, with.Struct())
	if fault.ReasonOf(err) == agentclient.ReasonUnreachable && pause.For(ctx, stopPause) == nil {
		remote, err = client.Cancel(ctx, id, with.Struct())
	}
	if err == nil {
		return remote, nil
	}
	if fault.ReasonOf(err) == agentclient.ReasonRefused {
		if now, failed := client.Task(ctx, id, 0); failed == nil {
			return now, err
		}
	}
	return nil, err
}

// unnamedTask returns the id of the task that the message of an attempt began if the agent, which has not named it yet, lists its tasks; otherwise "".
func unnamedTask(ctx context.Context, a *orchestrator.Attempt, client agentclient.Client) string {
	finder, lists := client.(agentclient.Finder)
	if !lists || !mayHaveBegun(a) {
		return ""
	}
	remote, err := findBegun(ctx, a, finder)
	if err != nil { // the task ends all the same, and its log says that the agent does not know
		return ""
	}
	return remote.GetId()
}

// describeStop describes the state that an agent answered to a request to stop. It may have ended just before.
func describeStop(state a2apb.TaskState) string {
	if state == a2apb.TaskState_TASK_STATE_CANCELED {
		return "the agent stopped its task"
	}
	return "the agent was asked to stop; its task is in state " + state.String()
}
