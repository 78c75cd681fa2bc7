package engine

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
)

// firstPhase returns the phase in which a new task begins.
func firstPhase(t *orchestrator.Task) orchestrator.Phase {
	if t.HasGate(orchestrator.PhasePreExecution) {
		return orchestrator.PhasePreExecution
	}
	return orchestrator.PhaseExecution
}

// passPhase moves a task from a phase that it has passed to the next one that is gated; after the last phase it ends the task.
func (e *Engine) passPhase(t *orchestrator.Task, passed orchestrator.Phase) []orchestrator.Event {
	switch {
	case passed == orchestrator.PhasePreExecution:
		return e.enterPhase(t, orchestrator.PhaseExecution)
	case passed == orchestrator.PhaseOnError:
		return e.finish(t, failedState(t.Error), t.Error, "")
	case passed == orchestrator.PhaseExecution && t.HasGate(orchestrator.PhaseDesignReview):
		return e.enterPhase(t, orchestrator.PhaseDesignReview)
	case passed != orchestrator.PhasePreCompletion && t.HasGate(orchestrator.PhasePreCompletion):
		return e.enterPhase(t, orchestrator.PhasePreCompletion)
	default:
		return e.finish(t, a2apb.TaskState_TASK_STATE_COMPLETED, nil, "")
	}
}

// fail moves a task whose agent failed to its on-error gate, or to its end.
func (e *Engine) fail(t *orchestrator.Task, why *orchestrator.Error) []orchestrator.Event {
	t.Error = why
	if t.HasGate(orchestrator.PhaseOnError) {
		events := e.enterPhase(t, orchestrator.PhaseOnError)
		events[0].Detail = why.Reason + ": " + why.Message
		return events
	}
	return e.finish(t, failedState(why), why, "")
}

// enterPhase moves a task to a phase. It is working then, also if a gate had it wait before, unless nothing has happened to it yet.
func (e *Engine) enterPhase(t *orchestrator.Task, p orchestrator.Phase) []orchestrator.Event {
	t.Phase = p
	if p != orchestrator.PhaseExecution || t.State != a2apb.TaskState_TASK_STATE_SUBMITTED {
		t.State = a2apb.TaskState_TASK_STATE_WORKING
	}
	return []orchestrator.Event{event(t, orchestrator.EventPhase, "the task is in phase "+string(p))}
}

func failedState(why *orchestrator.Error) a2apb.TaskState {
	switch {
	case why == nil:
		return a2apb.TaskState_TASK_STATE_FAILED
	case why.Reason == agenttask.ReasonRejected:
		return a2apb.TaskState_TASK_STATE_REJECTED
	case why.Reason == agenttask.ReasonCanceled:
		return a2apb.TaskState_TASK_STATE_CANCELED
	default:
		return a2apb.TaskState_TASK_STATE_FAILED
	}
}

// finish puts a task into a terminal state.
func (e *Engine) finish(t *orchestrator.Task, state a2apb.TaskState, why *orchestrator.Error, note string) []orchestrator.Event {
	held := t.Guarded() || t.Phase == orchestrator.PhaseOnError && !t.Passed(orchestrator.PhaseOnError) // a task may be canceled at its gate
	t.State, t.Phase, t.Error, t.CancelWith = state, orchestrator.PhaseDone, why, ""
	if state == a2apb.TaskState_TASK_STATE_COMPLETED || !held {
		t.Released = true
	}
	t.Untold = t.CarriesConsultation() || why != nil && len(t.Requirements) > 0
	detail := "the task is completed"
	if why != nil {
		detail = why.Reason + ": " + why.Message
	}
	if note != "" {
		detail += " (" + note + ")"
	}
	return []orchestrator.Event{event(t, orchestrator.EventState, detail)}
}
