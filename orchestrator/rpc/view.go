package rpc

import (
	"context"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// Content is the content of a task that may be shown. It is shared with the task and read-only.
type Content struct {
	Message       *a2apb.Message
	StatusMessage *a2apb.Message
	Artifacts     []*a2apb.Artifact
	Metadata      *structpb.Struct    // what the agent said of its whole task
	Turns         []orchestrator.Turn // the agent's turns have no message while a review stands between it and the caller
	Withheld      int                 // how many artifacts a closed gate holds back
}

// Show returns the content of a task that may be shown. What a closed gate holds back is only counted, as is the content of a carried consultation.
func Show(t *orchestrator.Task) Content {
	c := Content{Message: t.Message, Turns: turns(t)}
	if t.CarriesConsultation() {
		c.Message = nil
	}
	switch asks := t.AwaitsCaller(); {
	case asks && t.Guarded():
		c.StatusMessage = t.HeldQuestion()
	case asks:
		c.StatusMessage = t.StatusMessage
	}
	if t.Phase == orchestrator.PhaseExecution && !t.Guarded() { // what the agent has made so far, if it asked what to do with that
		c.Artifacts, c.Metadata = t.Artifacts, t.Metadata
		return c
	}
	if !t.Released {
		c.Withheld = len(t.Artifacts)
		return c
	}
	c.Artifacts, c.Metadata = t.Artifacts, t.Metadata
	if !t.Guarded() { // otherwise no reviewer has seen the agent's last message
		c.StatusMessage = t.StatusMessage
	}
	return c
}

// idWithheld reports whether the agent's id of the task is held back. Anybody who knows it may ask the agent for what is not shown here: the content of a
// carried consultation, or what no reviewer has approved. And the agent chose it, so that it may say anything, which no reviewer sees.
func idWithheld(t *orchestrator.Task) bool {
	return t.CarriesConsultation() || t.Guarded()
}

// turns returns a task's turns, without the agent's messages while a review stands between it and the caller.
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

// Visible returns a task that the caller in ctx may see, without a message that is held back from it. Any other is a NotFound fault with the reason TASK_NOT_FOUND.
func Visible(ctx context.Context, store orchestrator.Store, id string) (orchestrator.Task, error) {
	return visibleTo(ctx, store, id, MaySee)
}

// visibleTo returns a task that the caller may see and for which may is true.
func visibleTo(ctx context.Context, store orchestrator.Store, id string, may func(auth.Principal, *orchestrator.Task) bool) (orchestrator.Task, error) {
	p, err := Caller(ctx)
	if err != nil {
		return orchestrator.Task{}, err
	}
	k := orchestrator.Key{Tenant: p.Tenant, ID: id}
	t, err := store.Task(ctx, k)
	if err != nil {
		return t, err
	}
	if !MaySee(p, &t) {
		return orchestrator.Task{}, orchestrator.Missing(k)
	}
	if !may(p, &t) {
		return orchestrator.Task{}, fault.New(fault.PermissionDenied, "TASK_NOT_YOURS", "you may see task %s, but only who submitted it, or an admin, may change it", id).With("task", id)
	}
	HoldMessage(p, &t)
	return t, nil
}

// Changeable is Visible for a task that the caller may change: its own or, for an admin, any. One that the caller may only see, as a viewer or as its agent,
// is a PermissionDenied fault with the reason TASK_NOT_YOURS.
func Changeable(ctx context.Context, store orchestrator.Store, id string) (orchestrator.Task, error) {
	return visibleTo(ctx, store, id, mayChange)
}

// HoldMessage takes the message out of a task that p sees as its agent, as long as the agent does not get the message.
func HoldMessage(p auth.Principal, t *orchestrator.Task) {
	if t.MessageHeld() && !owns(p, t) && !p.Is(auth.RoleAdmin, auth.RoleViewer) {
		t.Message = nil
	}
}

// MaySee reports whether p may see a task of its tenant: admins and viewers see all tasks, other callers those that they submitted, and agents also
// those that they execute.
func MaySee(p auth.Principal, t *orchestrator.Task) bool {
	return p.Is(auth.RoleAdmin, auth.RoleViewer) || owns(p, t) || executes(p, t)
}

// owns reports whether p submitted the task. An agent may have the name of a caller, by its card, and does not become that caller.
func owns(p auth.Principal, t *orchestrator.Task) bool {
	return p.Is(auth.RoleAdmin, auth.RoleDispatcher) && t.Owner == p.Name
}

// executes reports whether p is the task's agent.
func executes(p auth.Principal, t *orchestrator.Task) bool {
	return p.Is(auth.RoleAgent) && t.Agent == p.Name
}

// mayChange reports whether p may change a task that it may see.
func mayChange(p auth.Principal, t *orchestrator.Task) bool {
	return p.Is(auth.RoleAdmin) || owns(p, t)
}

// mayAsk reports whether p may have agents consulted about a task that it may see.
func mayAsk(p auth.Principal, t *orchestrator.Task) bool { return mayChange(p, t) || executes(p, t) }

// Caller returns the caller in ctx, or an Unauthenticated fault.
func Caller(ctx context.Context) (auth.Principal, error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return p, fault.New(fault.Unauthenticated, "UNAUTHENTICATED", "the call has no caller")
	}
	return p, nil
}
