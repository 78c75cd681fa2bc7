package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/platform/fault"
)

// lookedUp is what the store says about the message that begins an agent's task.
type lookedUp struct {
	parts      []*a2apb.Part
	contextID  string   // the agent's own
	references []string // the agent's own ids, as far as it has any
}

// lookUp reads what a message that begins an agent's task needs. It comes before the intent to send: after that, an error of the store would leave it
// open whether the message was sent. For a task that the agent has already it reads nothing.
func (e *Engine) lookUp(ctx context.Context, t *orchestrator.Task) (found lookedUp, err error) {
	if isAccepted(t.OpenAttempt()) {
		return found, nil
	}
	if found.parts, err = e.partsFor(ctx, t); err != nil {
		return found, err
	}
	if found.contextID, err = e.agentContext(ctx, t); err != nil {
		return found, err
	}
	found.references, err = e.agentTasks(ctx, t, t.Message.GetReferenceTaskIds())
	return found, err
}

// maxReferences bounds how many of the tasks that a message refers to are looked up in the store.
const maxReferences = 32

// agentTasks translates the task ids that a message of t refers to into those of t's agent. Only tasks that this agent did for the same caller have
// an id there; other ids stay as they are.
func (e *Engine) agentTasks(ctx context.Context, t *orchestrator.Task, ids []string) ([]string, error) {
	theirs := slices.Clone(ids) // the ids in the message are the caller's
	for i, id := range ids[:min(len(ids), maxReferences)] {
		if len(id) != len(t.ID) { // not an id of ours
			continue
		}
		named, err := e.Store.Task(ctx, orchestrator.Key{Tenant: t.Tenant, ID: id})
		switch {
		case fault.KindOf(err) == fault.NotFound:
		case err != nil:
			return nil, err
		case named.Owner == t.Owner:
			theirs[i] = agentTask(&named, t.Agent)
		}
	}
	return theirs, nil
}

// agentTask returns the id that an agent gave to its last attempt at a task, or the task's own id when it gave none.
func agentTask(t *orchestrator.Task, agent string) string {
	for _, a := range slices.Backward(t.Attempts) {
		if a.Agent == agent && a.RemoteTaskID != "" {
			return a.RemoteTaskID
		}
	}
	return t.ID
}

// partsFor returns the parts of the message that the agent of t gets.
func (e *Engine) partsFor(ctx context.Context, t *orchestrator.Task) ([]*a2apb.Part, error) {
	p, digest, ok := agentmessage.OmittedContent(t)
	if !ok {
		return t.Message.GetParts(), nil
	}
	about, err := e.Store.Task(ctx, t.ParentKey())
	if err != nil {
		return nil, fmt.Errorf("read what consultation %s is about: %w", t.Parent.ConsultationID, err)
	}
	parts, now, err := reviewedParts(&about, p, nil)
	if err != nil {
		return nil, err
	}
	if now != digest {
		return nil, fault.New(fault.FailedPrecondition, "SUBJECT_CHANGED", "task %s no longer holds what consultation %s is about", about.ID, t.Parent.ConsultationID)
	}
	return append(slices.Clip(t.Message.GetParts()), parts...), nil
}
