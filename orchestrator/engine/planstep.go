package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// startSteps starts the steps that are due, as long as the plan needs more.
func (e *Engine) startSteps(ctx context.Context, r *planRound) error {
	for i := 0; i < len(r.plan.Steps); i++ { // others may step in meanwhile
		if r.moved || r.plan.Completed() >= r.plan.Need || r.plan.CannotSucceed() {
			break // the agents of finished steps are stored before another step builds on their results: an agent must not review its own work
		}
		if r.plan.Due(i) {
			if err := e.startStep(ctx, r, i); err != nil {
				return err
			}
			e.replaceUnreachable(ctx, r)
		}
	}
	return nil
}

// readSteps reads the steps' tasks, and the results of the completed ones.
func (e *Engine) readSteps(ctx context.Context, r *planRound) error {
	for i := range r.plan.Steps {
		s := &r.plan.Steps[i]
		if s.TaskID == "" || r.plan.CannotComplete(i) {
			continue
		}
		child, err := e.Store.Task(ctx, orchestrator.Key{Tenant: r.task.Tenant, ID: s.TaskID})
		if r.ends && fault.KindOf(err) == fault.NotFound { // its retention is over, since no replica has run for long
			continue
		}
		if err != nil {
			return fmt.Errorf("look at step %d of task %s: %w", i+1, r.task.ID, err)
		}
		r.noteStep(i, &child)
	}
	return nil
}

// noteStep notes the state of a step's task.
func (r *planRound) noteStep(i int, child *orchestrator.Task) {
	s := &r.plan.Steps[i]
	r.tasks[i] = child
	if child.Agent != s.Agent {
		r.log(i, "%s does it instead; task %s says why", child.Agent, child.ID)
		s.Agent, r.moved = child.Agent, true
	}
	if child.State == s.State {
		return
	}
	before := s.State
	s.State = child.State
	switch {
	case child.State == a2apb.TaskState_TASK_STATE_COMPLETED:
		r.log(i, "completed; artifacts: %d", len(child.Artifacts))
	case child.Ended():
		s.Error = shortened(child.Error)
		r.log(i, "ended as %s: %s", strings.ToLower(strings.TrimPrefix(child.State.String(), "TASK_STATE_")), describeError(child.Error))
	case orchestrator.Interrupted(child.State):
		r.logWait(i)
	case orchestrator.Interrupted(before):
		r.logResumed(i)
	}
}

// startStep submits a step's task. After a temporary error it is tried again later; any other error ends the step.
func (e *Engine) startStep(ctx context.Context, r *planRound, i int) error {
	t, s := r.task, &r.plan.Steps[i]
	m, inputs := stepContent(t.Message, r.plan, i, r.tasks)
	spare := false
	if t.Plan.Mode != orchestrator.PlanChain {
		_, spare = e.nextCandidate(ctx, t, r.plan)
	}
	skill := ""
	if t.SkillAsked {
		skill = s.Skill
	}
	child, err := e.Submit(underTrace(ctx, t, t.Traced), Submission{
		chain: r.plan.Chain(), link: i, skill: skill,
		Tenant: t.Tenant, Caller: plannerName, owner: t.Owner, RequestID: t.StepRequestID(i + 1), Message: m, Inputs: inputs, Attributes: t.Attributes,
		Route: orchestrator.Route{Agent: s.Agent, Version: t.VersionRange}, Deadline: t.Deadline, parent: &orchestrator.Parent{TaskID: t.ID, Hops: t.Hops(), Spare: spare},
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		s.TaskID = child.ID
		r.log(i, "started as task %s", child.ID)
		r.noteStep(i, &child) // it may have ended: it may have been submitted before a crash
		return nil
	}
	if isOurs(err) {
		return err
	}
	if e.isOverdue(t) { // of which the task fails, and not of a step that has the same deadline
		return errMoved
	}
	f := fault.From(err)
	switch f.Kind {
	case fault.Unavailable, fault.DeadlineExceeded, fault.ResourceExhausted:
		if s.Tries++; s.Tries < maxSends && !spare {
			r.wait = pause.Jittered(e.backoff(s.Tries))
			r.log(i, "%s; trying again", f.Message)
			return nil
		}
	default:
	}
	s.State, s.Error = a2apb.TaskState_TASK_STATE_FAILED, shortened(errorOf(f))
	r.log(i, "could not be started: %s", f.Message)
	return nil
}

// wakeParent wakes the task in whose plan t is a step, when t has ended, begins to wait or stops waiting.
func (e *Engine) wakeParent(t *orchestrator.Task, before a2apb.TaskState) {
	if t.IsStep() && (t.Ended() || orchestrator.Interrupted(t.State) || orchestrator.Interrupted(before)) {
		e.Wake(t.ParentKey())
	}
}
