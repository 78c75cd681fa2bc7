package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// stepPollInterval is how often the tasks of a plan's steps are read. Without a crash, the end of one is reported at once.
const stepPollInterval = 5 * time.Second

// planRound is one pass over the steps of a task's plan.
type planRound struct {
	task   *orchestrator.Task
	plan   *orchestrator.Plan         // a copy that is edited
	tasks  map[int]*orchestrator.Task // of the steps that are not dead
	events []orchestrator.Event
	moved  bool          // a step has another agent than the plan says
	ends   bool          // the task ends from outside, and needs no step any more
	wait   time.Duration // until something is tried again; 0 for nothing
}

func newPlanRound(t *orchestrator.Task) *planRound {
	return &planRound{task: t, plan: t.Plan.Clone(), tasks: make(map[int]*orchestrator.Task)}
}

func (r *planRound) log(i int, format string, args ...any) {
	text := fmt.Sprintf("step %d of %d (%s): ", i+1, len(r.plan.Steps), r.plan.Steps[i].Agent)
	r.events = append(r.events, event(r.task, orchestrator.EventRemark, text+fmt.Sprintf(format, args...)))
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

// planMayContinue reports whether a plan may go on. Only its owner changes it, and who ends a wait: by a reply, or by having a consultation held.
func planMayContinue(read, now *orchestrator.Task) bool {
	return now.Phase == orchestrator.PhaseExecution && !now.CancelAsked && len(now.Turns) == len(read.Turns) &&
		(now.Plan.Asking == nil) == (read.Plan.Asking == nil)
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
	if err := e.cancelUnneeded(ctx, r); err != nil {
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
