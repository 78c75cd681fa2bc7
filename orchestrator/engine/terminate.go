package engine

import (
	"context"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// terminate ends a task from outside: the agent is asked to stop, and the task ends whatever the agent answers. What steps have completed is kept.
func (e *Engine) terminate(ctx context.Context, t orchestrator.Task, state a2apb.TaskState, why *orchestrator.Error) (stepResult, error) {
	e.runners.noteEnding(t.Key())
	note, remote := e.cancelRemote(ctx, &t)
	r, err := e.stopPlan(ctx, &t)
	if err != nil {
		return stepResult{}, err
	}
	if r == nil {
		next, err := e.storeTermination(ctx, &t, keepAnswer(remote), state, why, note)
		if fault.KindOf(err) == fault.InvalidArgument { // there is no room for what the agent answered
			return e.storeTermination(ctx, &t, keepAnswer(nil), state, why, note)
		}
		return next, err
	}
	kept, _ := r.results(true)
	next, err := e.storeTermination(ctx, &t, keepPlan(r, kept), state, why, note)
	if fault.KindOf(err) == fault.InvalidArgument { // there is no room for what the steps made and failed for; their tasks have it
		r.plan.ForgetErrors()
		return e.storeTermination(ctx, &t, keepPlan(r, nil), state, why, note)
	}
	return next, err
}

// storeTermination stores the end of a task, with what keep puts into it.
func (e *Engine) storeTermination(
	ctx context.Context, read *orchestrator.Task, keep func(*orchestrator.Task) []orchestrator.Event, state a2apb.TaskState, why *orchestrator.Error, note string,
) (stepResult, error) {
	return e.transition(ctx, read, sameVersion, func(t *orchestrator.Task) []orchestrator.Event {
		kept := keep(t)
		e.closeAttempt(t, why)
		return append(kept, e.finish(t, state, why, note)...)
	})
}

// keepPlan keeps a plan, what its steps made, and the reply that the one for which the task waits has got.
func keepPlan(r *planRound, made []*a2apb.Artifact) func(*orchestrator.Task) []orchestrator.Event {
	return func(t *orchestrator.Task) []orchestrator.Event {
		if was := t.Plan.Asking; was != nil {
			endWait(t, was, r.tasks[was.Step-1])
		}
		t.Plan = r.plan
		if t.Phase == orchestrator.PhaseExecution {
			t.Artifacts = made
		}
		return slices.Clip(r.events)
	}
}

// keepAnswer keeps what an agent that was asked to stop answered of its work, unless a review stands before that: it may have been asked for its task a
// while ago. An answer that no task takes counts for nothing.
func keepAnswer(remote *a2apb.Task) func(*orchestrator.Task) []orchestrator.Event {
	return func(t *orchestrator.Task) []orchestrator.Event {
		if remote == nil || t.Guarded() {
			return nil
		}
		before := t.Artifacts
		h := agenttask.Task{Artifacts: slices.Clone(before), Metadata: proto.CloneOf(t.Metadata)}
		if h.Correct(remote) != nil {
			return nil
		}
		t.Artifacts, t.Metadata = h.Artifacts, h.Metadata
		if slices.EqualFunc(before, t.Artifacts, func(a, b *a2apb.Artifact) bool { return proto.Equal(a, b) }) {
			return nil
		}
		return []orchestrator.Event{keptEvent(t, "")}
	}
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
