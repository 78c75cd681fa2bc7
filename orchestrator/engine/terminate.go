package engine

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// terminate ends a task from outside: the agent is asked to stop, and the task ends whatever the agent answers. What steps have completed is kept.
func (e *Engine) terminate(ctx context.Context, t orchestrator.Task, state a2apb.TaskState, why *orchestrator.Error) (stepResult, error) {
	e.runners.noteEnding(t.Key())
	note := e.cancelRemote(ctx, &t)
	r, err := e.stopPlan(ctx, &t)
	if err != nil {
		return stepResult{}, err
	}
	if r == nil {
		return e.storeTermination(ctx, &t, nil, nil, state, why, note)
	}
	kept, _ := r.results(true)
	next, err := e.storeTermination(ctx, &t, r, kept, state, why, note)
	if fault.KindOf(err) == fault.InvalidArgument { // there is no room for what the steps made and failed for; their tasks have it
		r.plan.ForgetErrors()
		return e.storeTermination(ctx, &t, r, nil, state, why, note)
	}
	return next, err
}

// storeTermination stores the end of a task, with what is kept of a plan; r is nil if it has none.
func (e *Engine) storeTermination(
	ctx context.Context, read *orchestrator.Task, r *planRound, kept []*a2apb.Artifact, state a2apb.TaskState, why *orchestrator.Error, note string,
) (stepResult, error) {
	return e.transition(ctx, read, sameVersion, func(t *orchestrator.Task) []orchestrator.Event {
		if t.AwaitsCaller() {
			t.StatusMessage = nil // a question says nothing about the end
		}
		e.closeAttempt(t, why)
		if r == nil {
			return e.finish(t, state, why, note)
		}
		t.Plan = r.plan
		if t.Phase == orchestrator.PhaseExecution {
			t.Artifacts = kept
		}
		return append(r.events, e.finish(t, state, why, note)...)
	})
}

// endWithoutRoom ends a task that has no room for what came of a step, which began with the task as read.
func (e *Engine) endWithoutRoom(ctx context.Context, read *orchestrator.Task, f *fault.Error) (stepResult, error) {
	t, err := e.Store.Task(ctx, read.Key()) // the step may have written something
	if err != nil {
		return stepResult{}, err
	}
	t.OwnerEpoch = read.OwnerEpoch
	return e.terminate(ctx, t, a2apb.TaskState_TASK_STATE_FAILED, errorOf(f))
}
