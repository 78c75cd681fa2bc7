package engine

import (
	"cmp"
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// stopPlan cancels the steps of a task that ends from outside. The round that it returns has what was completed by then; it is nil if one agent does the
// task.
func (e *Engine) stopPlan(ctx context.Context, t *orchestrator.Task) (*planRound, error) {
	if t.Plan == nil {
		return nil, nil //nolint:nilnil // most tasks have no plan
	}
	r := newPlanRound(t)
	r.ends = true
	if err := e.readSteps(ctx, r); err != nil {
		return nil, err
	}
	return r, e.cancelUnneeded(ctx, r)
}

// cancelUnneeded cancels the steps that are no longer needed, and takes in what was completed before that.
func (e *Engine) cancelUnneeded(ctx context.Context, r *planRound) error {
	left, err := e.cancelSteps(ctx, r.task, r.plan)
	if err != nil {
		return err
	}
	for i := range left.Steps {
		switch {
		case orchestrator.Terminal(r.plan.Steps[i].State):
		case left.Steps[i].State == a2apb.TaskState_TASK_STATE_CANCELED:
			r.log(i, "is not needed any more")
		case left.Steps[i].State == a2apb.TaskState_TASK_STATE_COMPLETED:
			made, err := e.Store.Task(ctx, orchestrator.Key{Tenant: r.task.Tenant, ID: left.Steps[i].TaskID})
			if err != nil {
				return fmt.Errorf("look at step %d of task %s: %w", i+1, r.task.ID, err)
			}
			r.noteStep(i, &made)
		}
	}
	r.plan = left
	return nil
}

// cancelSteps cancels all tasks of a plan, including one that was submitted but not recorded, and returns the plan with the state of each.
func (e *Engine) cancelSteps(ctx context.Context, t *orchestrator.Task, p *orchestrator.Plan) (*orchestrator.Plan, error) {
	p = p.Clone()
	p.Asking = nil
	for i := range p.Steps {
		if orchestrator.Terminal(p.Steps[i].State) && p.Steps[i].TaskID != "" {
			continue
		}
		if err := e.cancelStep(ctx, t, i, &p.Steps[i]); err != nil {
			return nil, fmt.Errorf("cancel step %d of task %s: %w", i+1, t.ID, err)
		}
	}
	return p, nil
}

// cancelStep cancels a step's task, if there is one. The task may have ended by itself, and another agent may have taken it over.
func (e *Engine) cancelStep(ctx context.Context, t *orchestrator.Task, i int, s *orchestrator.Step) error {
	k := orchestrator.Key{Tenant: t.Tenant, ID: cmp.Or(s.TaskID, orchestrator.TaskID(t.Tenant, plannerName, t.StepRequestID(i+1)))}
	canceled, err := e.Cancel(ctx, Cancellation{Key: k, Caller: plannerName, With: t.CancelWith.Struct()})
	switch fault.ReasonOf(err) {
	case "":
		s.TaskID, s.Agent, s.State = k.ID, canceled.Agent, a2apb.TaskState_TASK_STATE_CANCELED
		return nil
	case "TASK_NOT_FOUND":
		return nil
	case "TASK_ENDED":
		ended, err := e.Store.Task(ctx, k)
		if err == nil {
			s.TaskID, s.Agent, s.State, s.Error = k.ID, ended.Agent, ended.State, shortened(ended.Error)
		}
		return err
	default:
		return err
	}
}
