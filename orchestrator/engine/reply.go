package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// Reply is a caller's message to a task that waits for it.
type Reply struct {
	Key       orchestrator.Key
	Caller    string
	Message   *a2apb.Message
	RequestID string // empty: every reply is a new one
	Etag      string // of the task when it was read; empty matches any

	// Webhook gets push notifications from this message on. It may be nil. One without an id that is registered already is not added again.
	Webhook *orchestrator.Webhook

	asked *orchestrator.Asking // the question that it replies to, if the caller named it; nil: the current one
}

// Reply stores a message for the agent of a waiting task and returns the task, which continues. The agent gets the message under an id of its own,
// however often it is sent. The same request id with the same content is the same reply; with other content it is a Conflict fault with the reason
// REQUEST_ID_REUSED. For a task that several agents do, the reply goes to the step whose question the task shows. A task that has ended is a
// FailedPrecondition fault with the reason TASK_ENDED, one that does not wait for a message TASK_NOT_WAITING, one that has no room for it TOO_MANY_TURNS
// or TURNS_TOO_LARGE, and one whose etag is not the given one a Conflict fault with the reason ETAG_MISMATCH. A message that no agent could get, or that
// names another context (CONTEXT_MISMATCH) or another task (TASK_MISMATCH), is an InvalidArgument fault.
func (e *Engine) Reply(ctx context.Context, r Reply) (orchestrator.Task, error) {
	if err := cmp.Or(checkMessage(r.Message), checkSize(r.Message, orchestrator.MaxMessageBytes)); err != nil {
		return orchestrator.Task{}, err
	}
	hash, err := r.hash()
	if err != nil {
		return orchestrator.Task{}, err
	}
	webhook, err := e.replyWebhook(&r)
	if err != nil {
		return orchestrator.Task{}, err
	}
	taken, forStep := false, false
	t, err := e.update(ctx, r.Key, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		taken, forStep = false, false
		known, err := isRepeatedReply(t, &r, hash)
		if err != nil {
			return nil, err
		}
		if known {
			return nil, orchestrator.ErrUnchanged
		}
		if err := t.CheckEtag(r.Etag); err != nil {
			return nil, err
		}
		if err := checkAcceptsReply(t, &r); err != nil {
			return nil, err
		}
		added, err := addReplyWebhook(t, &r, webhook)
		switch {
		case err != nil:
			return nil, err
		case t.Plan == nil:
			taken = true
			return e.addReply(t, &r, hash), nil
		}
		forStep = true // only the receiver is added to this task
		if !added {
			return nil, orchestrator.ErrUnchanged
		}
		return nil, nil
	})
	switch {
	case err != nil:
	case forStep:
		return e.replyToStep(ctx, &t, &r)
	case taken:
		e.runners.interrupt(r.Key)
	case mustInterrupt(&t): // the store may have taken the reply before without saying so
		e.Wake(r.Key)
	}
	return t, err
}

// isRepeatedReply reports whether the task has the reply already.
func isRepeatedReply(t *orchestrator.Task, r *Reply, hash string) (bool, error) {
	if r.RequestID == "" {
		return false, nil
	}
	for _, turn := range t.Turns {
		switch {
		case turn.FromAgent || turn.RequestID != r.RequestID:
		case turn.RequestHash == hash:
			return true, nil
		default:
			return false, fault.New(fault.Conflict, "REQUEST_ID_REUSED",
				"request id %q was used in task %s for another message; use a new id for a new message", r.RequestID, t.ID).With("task", t.ID)
		}
	}
	return false, nil
}

// checkAcceptsReply returns why a task takes no message now, or nil when it does.
func checkAcceptsReply(t *orchestrator.Task, r *Reply) error {
	var why *fault.Error
	m, step := r.Message, t.Plan.Waiting()
	switch {
	case m.GetContextId() != "" && m.GetContextId() != t.ContextID:
		why = fault.Invalid("message.context_id", "CONTEXT_MISMATCH", "task %s is not in context %q", t.ID, m.GetContextId())
	case m.GetTaskId() != "" && m.GetTaskId() != t.ID:
		why = fault.Invalid("message.task_id", "TASK_MISMATCH", "the message is for task %q, and is sent to task %s: leave the id out of the message, or send it to that task", fault.Clip(m.GetTaskId()), t.ID)
	case t.Ended():
		why = fault.New(fault.FailedPrecondition, "TASK_ENDED", "task %s has already ended (%s); send the message as a new task in context %s", t.ID, t.State, t.ContextID)
	case t.Blocked() && step != nil:
		why = fault.New(fault.FailedPrecondition, "TASK_NOT_WAITING",
			"task %s waits for a consultation of its step %s (%s), not for a message: have the agents consulted that its gate names, or cancel it", t.ID, step.TaskID, step.Agent)
	case t.Blocked():
		why = fault.New(fault.FailedPrecondition, "TASK_NOT_WAITING",
			"task %s waits for a consultation, not for a message: have the agents consulted that its gate names, or cancel it", t.ID)
	case !awaitsMessage(t):
		why = fault.New(fault.FailedPrecondition, "TASK_NOT_WAITING",
			"task %s is in state %s and does not wait for a message; send it once the task is in state TASK_STATE_INPUT_REQUIRED or TASK_STATE_AUTH_REQUIRED", t.ID, t.State)
	case r.asked != nil && len(t.Turns) != r.asked.Turns:
		why = fault.New(fault.FailedPrecondition, "TASK_NOT_WAITING", "task %s asks something else by now; read it again before replying", t.ID)
	case len(t.Turns) >= orchestrator.MaxTurns:
		why = fault.New(fault.FailedPrecondition, "TOO_MANY_TURNS", "task %s has %d messages, as many as a task takes; cancel it", t.ID, len(t.Turns))
	default:
		return t.CheckTurn(m)
	}
	return why.With("task", t.ID)
}

// awaitsMessage reports whether somebody waits for a message to the task: its agent, or that of one of its steps.
func awaitsMessage(t *orchestrator.Task) bool {
	if !t.AwaitsCaller() || t.CancelAsked {
		return false
	}
	if t.Plan != nil {
		return t.Plan.Asking != nil
	}
	return isAccepted(t.OpenAttempt())
}

// addReply adds the reply to the task.
func (e *Engine) addReply(t *orchestrator.Task, r *Reply, hash string) []orchestrator.Event {
	n := len(t.Turns) + 1
	m := orchestrator.CopyMessage(r.Message)
	m.Role = a2apb.Role_ROLE_USER
	m.MessageId = cmp.Or(m.GetMessageId(), t.TurnID(n))
	t.Turns = append(t.Turns[:n-1:n-1], orchestrator.Turn{
		Number: n, MessageID: t.TurnID(n), Question: t.OpenAttempt().Question, RequestID: r.RequestID, RequestHash: hash,
		Time: e.now(), Message: m,
	})
	t.State, t.StatusMessage = a2apb.TaskState_TASK_STATE_WORKING, nil
	t.NextDue = time.Time{}
	return []orchestrator.Event{event(t, orchestrator.EventReply, fmt.Sprintf("message %d, from %s, is for %s", n, r.Caller, t.Agent))}
}

func (r *Reply) hash() (string, error) {
	m := orchestrator.CopyMessage(r.Message)
	m.TaskId, m.ContextId = "", "" // the task of a step has its own
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("encode message: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16]), nil
}
