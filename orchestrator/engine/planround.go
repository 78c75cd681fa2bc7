package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// wakeParent wakes the task in whose plan t is a step, when t has ended, begins to wait or stops waiting.
func (e *Engine) wakeParent(t *orchestrator.Task, before a2apb.TaskState) {
	if t.IsStep() && (t.Ended() || orchestrator.Interrupted(t.State) || orchestrator.Interrupted(before)) {
		e.Wake(orchestrator.Key{Tenant: t.Tenant, ID: t.Parent.TaskID})
	}
}

// stepPollInterval is how often the tasks of a plan's steps are read. Without a crash, the end of one is reported at once.
const stepPollInterval = 5 * time.Second

// Reasons for which a plan ends.
const (
	reasonSteps    = "STEPS_FAILED"
	reasonTooLarge = "RESULTS_TOO_LARGE"
)

// planRound is one pass over the steps of a task's plan.
type planRound struct {
	task   *orchestrator.Task
	plan   *orchestrator.Plan         // a copy that is edited
	tasks  map[int]*orchestrator.Task // of the steps that are not dead
	made   map[int][]*a2apb.Artifact
	events []orchestrator.Event
	moved  bool          // a step has another agent than the plan says
	wait   time.Duration // until something is tried again; 0 for nothing
}

func newPlanRound(t *orchestrator.Task) *planRound {
	return &planRound{task: t, plan: t.Plan.Clone(), tasks: make(map[int]*orchestrator.Task), made: make(map[int][]*a2apb.Artifact)}
}

func (r *planRound) log(i int, format string, args ...any) {
	text := fmt.Sprintf("step %d of %d (%s): ", i+1, len(r.plan.Steps), r.plan.Steps[i].Agent)
	r.events = append(r.events, event(r.task, orchestrator.EventProgress, text+fmt.Sprintf(format, args...)))
}

// advancePlan advances a plan: it reads the tasks of its steps, starts the steps that are due, and ends the task when enough steps are completed or as
// soon as too few can be: nobody needs the results, or questions, of the others then.
func (e *Engine) advancePlan(ctx context.Context, t orchestrator.Task) (stepResult, error) {
	r := newPlanRound(&t)
	if err := e.readSteps(ctx, r); err != nil {
		return stepResult{}, err
	}
	e.replaceUnreachable(ctx, r)
	if r.wait = max(e.pauseLeft(&t), 0); r.wait == 0 { // otherwise the steps that run may end or ask something meanwhile
		if err := e.startSteps(ctx, r); err != nil {
			return stepResult{}, err
		}
	}
	if lost := r.plan.CannotSucceed(); lost || r.plan.Completed() >= r.plan.Need {
		return e.endPlan(ctx, r, lost)
	}
	return e.storeRound(ctx, r)
}

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
	if child.State == a2apb.TaskState_TASK_STATE_COMPLETED {
		r.made[i] = child.Artifacts
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
		s.Error = child.Error
		r.log(i, "ended as %s: %s", strings.ToLower(strings.TrimPrefix(child.State.String(), "TASK_STATE_")), describeError(child.Error))
	case orchestrator.Interrupted(child.State):
		r.logWait(i)
	case orchestrator.Interrupted(before):
		r.logResumed(i)
	}
}

func describeError(e *orchestrator.Error) string {
	if e == nil {
		return "for no reason that is on record"
	}
	return e.Reason + ": " + e.Message
}

// stepRequestID returns the request id of a step's task, so that submitting it again after a crash finds it.
func stepRequestID(t *orchestrator.Task, i int) string { return t.ID + "." + strconv.Itoa(i+1) }

// startStep submits a step's task. After a temporary error it is tried again later; any other error ends the step.
func (e *Engine) startStep(ctx context.Context, r *planRound, i int) error {
	t, s := r.task, &r.plan.Steps[i]
	withPlan := *t
	withPlan.Plan = r.plan
	m, inputs := stepContent(&withPlan, i, r.made)
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
		Tenant: t.Tenant, Caller: plannerName, owner: t.Owner, RequestID: stepRequestID(t, i), Message: m, Inputs: inputs, Attributes: t.Attributes,
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
			r.wait = jittered(e.backoff(s.Tries))
			r.log(i, "%s; trying again", f.Message)
			return nil
		}
	default:
	}
	s.State, s.Error = a2apb.TaskState_TASK_STATE_FAILED, errorOf(f)
	r.log(i, "could not be started: %s", f.Message)
	return nil
}

// failure returns why a plan can no longer be completed.
func (r *planRound) failure() *orchestrator.Error {
	var why []string
	for i := range r.plan.Steps {
		if s := &r.plan.Steps[i]; s.Error != nil {
			why = append(why, fmt.Sprintf("step %d (%s): %s", i+1, s.Agent, describeError(s.Error)))
		}
	}
	message := fmt.Sprintf("%d of %d steps had to be completed and %d are: %s", r.plan.Need, len(r.plan.Steps), r.plan.Completed(), strings.Join(why, "; "))
	return &orchestrator.Error{Reason: reasonSteps, Message: bounded.Text(message, maxDetail)}
}

// planMayContinue reports whether a plan may go on. Only its owner changes it, and a reply.
func planMayContinue(read, now *orchestrator.Task) bool {
	return now.Phase == orchestrator.PhaseExecution && !now.CancelAsked && len(now.Turns) == len(read.Turns)
}

// storeRound stores what the round found and did. While a step's task waits, so does the task.
func (e *Engine) storeRound(ctx context.Context, r *planRound) (stepResult, error) {
	next := stepResult{wait: stepPollInterval}
	if r.wait > 0 {
		next.wait = min(next.wait, r.wait)
	}
	show := r.showWait()
	if len(r.events) == 0 {
		return next, nil
	}
	next.again = r.moved || r.task.Plan.Asking != nil && r.plan.Asking == nil // another step may be able to begin, or may be waiting
	_, err := e.updateOwned(ctx, r.task, planMayContinue, func(t *orchestrator.Task) []orchestrator.Event {
		show(t)
		if r.wait > 0 {
			t.NextDue = e.now().Add(r.wait)
		}
		for i := range r.events {
			r.events[i].State = t.State
		}
		return r.events
	})
	return next, err
}

// endPlan ends the task with what the steps made. Steps that are no longer needed are canceled first, so that what they complete until then counts.
func (e *Engine) endPlan(ctx context.Context, r *planRound, lost bool) (stepResult, error) {
	show := r.clearWait()
	if err := e.cancelUnneeded(ctx, r, a2apb.TaskState_TASK_STATE_CANCELED); err != nil {
		return stepResult{}, err
	}
	artifacts, why := r.results(lost)
	if lost {
		why = r.failure()
	}
	return e.transition(ctx, r.task, planMayContinue, func(t *orchestrator.Task) []orchestrator.Event {
		show(t)
		t.Artifacts, t.Metadata = artifacts, r.about(lost)
		if why != nil {
			return append(r.events, e.fail(t, why)...)
		}
		return append(r.events, e.passPhase(t, orchestrator.PhaseExecution)...)
	})
}
