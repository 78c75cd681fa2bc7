package engine

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/platform/fault"
)

// Consult has the target of one of the task's requirements consulted: it opens the consultation and sends it as a task of its own, and returns once
// that carrying task is accepted. content is what the task's agent is about to deliver; nil stands for what the task holds. Repeating a request
// returns the same consultation, whatever has become of the task since, as long as that is kept.
//
// Faults, besides those of consultation.Ledger.Issue: NotFound REQUIREMENT_NOT_FOUND, and AGENT_NOT_FOUND when the target is not registered;
// FailedPrecondition TASK_ENDED, CONSULTATION_TOO_DEEP, SELF_REVIEW when the target is the task's agent under another name, NOTHING_TO_REVIEW,
// CONTENT_DELIVERED when content is given that the task holds already, and SUBJECT_TOO_LARGE.
func (e *Engine) Consult(
	ctx context.Context, tenant, taskID, requirementID string, content []*a2apb.Artifact, request consultation.Request,
) (consultation.Consultation, error) {
	t, err := e.Store.Task(ctx, orchestrator.Key{Tenant: tenant, ID: taskID})
	if err != nil {
		return consultation.Consultation{}, err
	}
	if c, ok, err := e.Ledger.Asked(ctx, tenant, taskID, t.CreateTime, request); err != nil || ok && c.Sent() {
		return c, err
	}
	c, m, err := e.openConsultation(ctx, &t, requirementID, content, request, false)
	if err != nil || !c.Unanswered() { // the same request, sent twice, was quicker
		return c, err
	}
	if len(content) == 0 {
		m = agentmessage.WithoutLargeContent(m)
	}
	return e.submitCarrier(ctx, &t, c, m)
}

// ConsultDirectly opens a consultation as Consult does, but sends nothing: it returns the message, including the content, with which the task's agent
// asks the target itself. The outcome counts like that of a consultation that Quorate carried; without an outcome the consultation expires. For a
// repeated request whose consultation is no longer open, no message is returned. It has the faults of Consult, and for a requirement of the phase
// pre-execution FailedPrecondition MESSAGE_WITHHELD.
func (e *Engine) ConsultDirectly(
	ctx context.Context, tenant, taskID, requirementID string, content []*a2apb.Artifact, request consultation.Request,
) (consultation.Consultation, *a2apb.Message, error) {
	t, err := e.Store.Task(ctx, orchestrator.Key{Tenant: tenant, ID: taskID})
	if err != nil {
		return consultation.Consultation{}, nil, err
	}
	if c, ok, err := e.Ledger.Asked(ctx, tenant, taskID, t.CreateTime, request); err != nil || ok && c.Direct && c.State != consultation.StateOpen {
		return c, nil, err // the question was asked before
	}
	c, m, err := e.openConsultation(ctx, &t, requirementID, content, request, true)
	switch {
	case err != nil || !c.Unanswered(): // the same request, sent twice, was quicker
		return c, nil, err
	case c.Direct:
		return c, m, nil
	}
	if err := e.Ledger.SetDirect(ctx, tenant, taskID, c.ID); err != nil {
		return c, nil, err
	}
	c.Direct = true
	err = e.logConsultation(ctx, &t, c, fmt.Sprintf("%s is asked directly for requirement %s (attempt %d)", c.TargetAgent, c.RequirementID, c.Attempt))
	return c, m, err
}

// openConsultation opens the consultation about one of the task's requirements. It returns the consultation and the question to its target.
func (e *Engine) openConsultation(
	ctx context.Context, t *orchestrator.Task, requirementID string, content []*a2apb.Artifact, request consultation.Request, direct bool,
) (consultation.Consultation, *a2apb.Message, error) {
	var none consultation.Consultation
	r, err := e.consultable(t, requirementID)
	if err != nil {
		return none, nil, err
	}
	if err := e.checkSelfReview(ctx, t, r); err != nil {
		return none, nil, err
	}
	if direct && r.Phase == string(orchestrator.PhasePreExecution) {
		return none, nil, fault.New(fault.FailedPrecondition, "MESSAGE_WITHHELD",
			"requirement %q is about the message, which %s gets once it is met: have Quorate ask %s", r.ID, t.Agent, r.TargetAgent)
	}
	parts, digest, err := reviewedParts(t, orchestrator.Phase(r.Phase), content)
	if err != nil {
		return none, nil, err
	}
	c, err := e.Ledger.Issue(ctx, consultation.Question{
		Tenant: t.Tenant, TaskID: t.ID, TaskTime: t.CreateTime, SourceAgent: t.Agent, Requirement: r, SubjectDigest: digest, Request: request,
	})
	if err != nil {
		return none, nil, err
	}
	m, err := agentmessage.Question(c, e.Ledger.MinLevel(c), parts)
	return c, m, err
}

// logConsultation logs a consultation in the task's events and has the task's gate checked. Until that is done the task counts as working if this
// consultation is all that its gate waits for: whoever asked for it and watches the task from then on would otherwise be told that it waits for somebody.
func (e *Engine) logConsultation(ctx context.Context, t *orchestrator.Task, c consultation.Consultation, detail string) error {
	now, err := e.update(ctx, t.Key(), func(now *orchestrator.Task) ([]orchestrator.Event, error) {
		if now.Ended() { // a reviewer may be that fast; whoever watches leaves with the event of the end
			return nil, orchestrator.ErrUnchanged
		}
		if now.Blocked() && blockedOnlyBy(now.Gates[len(now.Gates)-1], c.RequirementID) {
			now.State = a2apb.TaskState_TASK_STATE_WORKING
		}
		return []orchestrator.Event{event(now, orchestrator.EventConsultation, detail)}, nil
	})
	if err != nil {
		return err
	}
	e.Wake(t.Key())
	if now.IsStep() && !now.Blocked() {
		e.stepGoesOn(ctx, &now)
	}
	return nil
}

// consultable returns a requirement about which the target may be consulted now.
func (e *Engine) consultable(t *orchestrator.Task, requirementID string) (consultation.Requirement, error) {
	if t.Ended() {
		return consultation.Requirement{}, fault.New(fault.FailedPrecondition, "TASK_ENDED", "task %s has already ended (%s): a consultation cannot change that", t.ID, t.State)
	}
	if t.Plan != nil {
		return consultation.Requirement{}, fault.New(fault.NotFound, "REQUIREMENT_NOT_FOUND",
			"task %s is done by %s and has no requirements of its own: name the task of the step whose agent has requirement %q", t.ID, agentNames(t), requirementID)
	}
	if t.Hops() >= orchestrator.MaxConsultHops {
		return consultation.Requirement{}, fault.New(fault.FailedPrecondition, "CONSULTATION_TOO_DEEP",
			"task %s is itself %d consultations deep; the limit is %d: look for agents that consult each other in a circle", t.ID, t.Hops(), orchestrator.MaxConsultHops)
	}
	var known []string
	for _, r := range t.Requirements {
		if r.ID == requirementID {
			return r, nil
		}
		known = append(known, r.ID)
	}
	return consultation.Requirement{}, fault.New(fault.NotFound, "REQUIREMENT_NOT_FOUND", "agent %q has no requirement %q; it has %q", t.Agent, requirementID, known)
}

// reviewedParts returns the parts that are reviewed in a phase, and their digest.
func reviewedParts(t *orchestrator.Task, p orchestrator.Phase, given []*a2apb.Artifact) ([]*a2apb.Part, string, error) {
	if len(given) > 0 {
		if t.Phase != orchestrator.PhaseExecution {
			return nil, "", fault.New(fault.FailedPrecondition, "CONTENT_DELIVERED", "task %s is in phase %s: what is reviewed is what it holds; leave subject empty", t.ID, t.Phase)
		}
		return orchestrator.ReviewedArtifacts(given), orchestrator.ArtifactsDigest(given), nil
	}
	if _, _, without := agentmessage.OmittedContent(t); without && p == orchestrator.PhasePreExecution {
		return nil, "", fault.New(fault.FailedPrecondition, "SUBJECT_TOO_LARGE",
			"task %s carries a consultation about more than %d KiB, which it does not hold itself: nobody can review its message", t.ID, agentmessage.MaxCarriedBytes>>10)
	}
	digest := t.Digest(p)
	if digest == "" {
		return nil, "", fault.New(fault.FailedPrecondition, "NOTHING_TO_REVIEW", "task %s is in phase %s and holds nothing yet that phase %s is about", t.ID, t.Phase, p)
	}
	switch p {
	case orchestrator.PhasePreExecution:
		return orchestrator.ReviewedMessage(t.Message), digest, nil
	case orchestrator.PhaseOnError:
		return []*a2apb.Part{textPart(t.Error.Reason), textPart(t.Error.Message)}, digest, nil
	default:
		return orchestrator.ReviewedWork(t.Artifacts, t.Metadata), digest, nil
	}
}

func textPart(s string) *a2apb.Part { return &a2apb.Part{Content: &a2apb.Part_Text{Text: s}} }
