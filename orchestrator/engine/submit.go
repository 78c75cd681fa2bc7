package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Submit accepts a task: it chooses the agent and stores the task. The same caller, request id and content get the first task again, with its
// deadline whatever the retry's; other content under the same id is a Conflict fault with the reason REQUEST_ID_REUSED. What cannot become a task is an
// InvalidArgument fault that names the field, and a message that keeps coming back from agents a FailedPrecondition fault with the reason TASK_IN_CIRCLE. A
// route that leads nowhere is the fault of router.Router.Resolve, inputs that do not fit are that of router.Router.CheckInputs, and a receiver of push
// notifications that cannot be told is that of SetWebhook.
func (e *Engine) Submit(ctx context.Context, s Submission) (orchestrator.Task, error) {
	now := e.now()
	if err := s.check(); err != nil {
		return orchestrator.Task{}, err
	}
	id := orchestrator.TaskID(s.Tenant, s.Caller, s.RequestID)
	if s.RequestID != "" {
		old, err := e.Store.Task(ctx, orchestrator.Key{Tenant: s.Tenant, ID: id})
		if err == nil || fault.KindOf(err) != fault.NotFound {
			return e.existingTask(&s, old, err)
		}
	}
	if err := s.checkDeadline(now); err != nil { // a retry may come after the deadline
		return orchestrator.Task{}, err
	}
	if s.parent == nil { // those that Quorate makes itself have a limit of hops
		if err := checkHops(s.Message); err != nil {
			return orchestrator.Task{}, err
		}
	}
	to, p, err := e.place(ctx, &s)
	if err != nil {
		return orchestrator.Task{}, err
	}
	t := s.task(ctx, id, now)
	if p != nil {
		t.Decision, t.Plan, t.Phase = to.Decision, p, orchestrator.PhaseExecution
		return e.accept(ctx, &s, t, registry.Agent{})
	}
	t.Agent, t.Skill, t.Decision, t.Requirements = to.Agent.Name, cmp.Or(s.skill, to.Decision.Skill), to.Decision, requirements(to.Agent.Metadata)
	t.AtMostOnce = to.Agent.Metadata.AtMostOnce(t.Skill)
	t.Phase = firstPhase(&t)
	return e.accept(ctx, &s, t, to.Agent)
}

// accept stores a task with the receiver that the submission names. If nothing has to happen before it is sent, the intent to send it is part of that
// write, which saves one.
func (e *Engine) accept(ctx context.Context, s *Submission, t orchestrator.Task, agent registry.Agent) (orchestrator.Task, error) {
	if err := checkSize(t.Message, t.MessageLimit()); err != nil {
		return orchestrator.Task{}, err
	}
	var err error
	if t.Webhooks, err = e.receivers(s); err != nil {
		return orchestrator.Task{}, err
	}
	events := []orchestrator.Event{event(&t, orchestrator.EventSubmitted, "accepted for "+agentNames(&t))}
	var held bool
	t.Shard, t.OwnerEpoch, held = e.Leases.Choose(t.ID)
	var sends bool
	if held && t.Phase == orchestrator.PhaseExecution && t.Plan == nil {
		_, binding, err := e.Connect.Connect(agent.Name, agent.Card)
		if err != nil {
			return orchestrator.Task{}, err
		}
		if sends = e.exchanges.Reserve(&t, agentKey(&t)); sends {
			events = append(events, e.addAttempt(&t, binding))
		} else {
			events = append(events, event(&t, orchestrator.EventRemark, "waits until "+t.Agent+" is done with others: it works on as many tasks as it may at a time"))
		}
	}
	for i := range events {
		events[i].Time = t.CreateTime
	}
	for i := range t.Webhooks { // the caller hears about everything so far in the answer
		t.Webhooks[i].Due, t.Webhooks[i].Sent = uint64(len(events)), uint64(len(events))
	}
	if sends { // before the task exists, because a scan may find it at once
		e.fresh.mark(&t)
	}
	stored, created, err := e.Store.Create(ctx, t, events...)
	if err != nil || !created {
		if sends { // otherwise a note is that of another submission of the same request
			e.fresh.forget(t.Key()) // if the task exists all the same, its message has to be treated as sent before
			e.exchanges.Forfeit(t.Key())
		}
		return e.existingTask(s, stored, err)
	}
	e.meters.accept(ctx, &stored)
	e.Wake(stored.Key())
	return stored, nil
}

// existingTask returns the task that exists already, unless a caller submitted something else under its request id. For tasks of the engine itself,
// for a step or a consultation, the id suffices: it is unique, and the same content may be encoded differently after a restart. A task to which nothing has
// happened is looked at: whoever stored it may have got no answer, or have died.
func (e *Engine) existingTask(s *Submission, t orchestrator.Task, err error) (orchestrator.Task, error) {
	if err != nil {
		return orchestrator.Task{}, err
	}
	if t.Parent == nil && !s.content.isOf(&t) {
		return orchestrator.Task{}, fault.New(fault.Conflict, "REQUEST_ID_REUSED",
			"request id %q was used for task %s with other content; use a new id for new work", s.RequestID, t.ID).With("task", t.ID)
	}
	if t.Version == 1 {
		e.Wake(t.Key())
	}
	return t, nil
}

// task returns the submission as a task that is not routed yet.
func (s *Submission) task(ctx context.Context, id string, now time.Time) orchestrator.Task {
	m := s.Message
	contextID := m.GetContextId()
	if contextID == "" {
		contextID = id
	}
	t := orchestrator.Task{
		Tenant: s.Tenant, ID: id, ContextID: contextID, Owner: cmp.Or(s.owner, s.Caller), RequestHash: s.content.hash(s.Deadline),
		State: a2apb.TaskState_TASK_STATE_SUBMITTED, SkillAsked: s.Route.Skill != "" || s.skill != "", Attributes: s.Attributes, Parent: s.parent,
		CreateTime: now, UpdateTime: now, Deadline: s.Deadline, VersionRange: s.Route.Version, Inputs: s.given, Message: m,
	}
	if t.Deadline.IsZero() {
		t.Deadline = now.Add(orchestrator.DefaultDeadline)
	}
	if sc := trace.SpanContextFromContext(ctx); sc.IsValid() {
		t.TraceID, t.SpanID, t.Traced = sc.TraceID().String(), sc.SpanID().String(), sc.IsSampled()
	} else {
		t.TraceID, t.SpanID = randomHex(16), randomHex(8)
	}
	return t
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}
