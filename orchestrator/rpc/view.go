package rpc

import (
	"context"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// Content is what may be shown of what a task carries. It is shared with the task and read-only.
type Content struct {
	Message       *a2apb.Message
	StatusMessage *a2apb.Message
	Artifacts     []*a2apb.Artifact
	Turns         []orchestrator.Turn // those of the agent without a message where a review stands between it and the caller
	Withheld      int                 // artifacts that an open gate holds back
}

// Show returns what may be shown of a task's content. What an open gate holds back is counted, not shown; so is the content that a carried
// consultation is about.
func Show(t *orchestrator.Task) Content {
	c := Content{Message: t.Message, Turns: turns(t)}
	if t.Carries() {
		c.Message = nil
	}
	if t.Waits() && !t.Guarded() { // what the agent asks
		c.StatusMessage = t.StatusMessage
	}
	if !t.Released {
		c.Withheld = len(t.Artifacts)
		return c
	}
	c.Artifacts = t.Artifacts
	if !t.Guarded() { // otherwise a review stood between the agent and the caller, and no reviewer has seen the agent's last word
		c.StatusMessage = t.StatusMessage
	}
	return c
}

// withheld reports whether the agent has what is held back here: the content that a carried consultation is about, or what no reviewer has let pass. Whoever
// knows the agent's own id of the task may ask the agent for it.
func withheld(t *orchestrator.Task) bool { return t.Carries() || t.Guarded() && !t.Released }

// turns returns a task's turns. No reviewer has seen the questions of an agent that a review stands before.
func turns(t *orchestrator.Task) []orchestrator.Turn {
	if !t.Guarded() {
		return t.Turns
	}
	list := slices.Clone(t.Turns)
	for i := range list {
		if list[i].FromAgent {
			list[i].Message = nil
		}
	}
	return list
}

// Visible returns a task that the caller in ctx may see. One that it may not is as good as none: fault NotFound "TASK_NOT_FOUND".
func Visible(ctx context.Context, store orchestrator.Store, id string) (orchestrator.Task, error) {
	p, err := Caller(ctx)
	if err != nil {
		return orchestrator.Task{}, err
	}
	t, err := store.Task(ctx, orchestrator.Key{Tenant: p.Tenant, ID: id})
	if err != nil {
		return t, err
	}
	if !MaySee(p, &t) {
		return orchestrator.Task{}, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", id).With("task", id)
	}
	return t, nil
}

// MaySee reports whether p may see a task of its tenant: admins and viewers see all, others those they submitted, and agents those they
// execute.
func MaySee(p auth.Principal, t *orchestrator.Task) bool {
	return p.Is(auth.RoleAdmin, auth.RoleViewer) || t.Owner == p.Name || (p.Is(auth.RoleAgent) && t.Agent == p.Name)
}

// Caller returns who calls, or fault Unauthenticated.
func Caller(ctx context.Context) (auth.Principal, error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return p, fault.New(fault.Unauthenticated, "UNAUTHENTICATED", "the call has no caller")
	}
	return p, nil
}
