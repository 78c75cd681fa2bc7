package engine

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Limits of texts in a task, in bytes. Others have made some of them: a task whose end does not fit into the store would not end, and be done again
// and again.
const (
	maxDetail  = 64 << 10 // of an event
	maxMessage = 8 << 10  // of an error

	maxShort = 1 << 10 // of an error that the task goes on after, if another agent can take over: as many may fail as a decision lists
)

// errorOf returns f as a task keeps it.
func errorOf(f *fault.Error) *orchestrator.Error {
	return &orchestrator.Error{Reason: f.Reason, Message: bounded.Text(f.Message, maxMessage)}
}

// shortened returns an error, which may be nil, as a task keeps those of the agents before, and of its steps. The log, and the task of a step, have all of it.
func shortened(e *orchestrator.Error) *orchestrator.Error {
	if e == nil {
		return nil
	}
	return &orchestrator.Error{Reason: e.Reason, Message: bounded.Text(e.Message, maxShort)}
}

// event returns an event about t that happens now. It cuts a detail that stores would not take.
func event(t *orchestrator.Task, kind orchestrator.EventType, detail string) orchestrator.Event {
	return orchestrator.Event{Type: kind, State: t.State, Phase: t.Phase, Detail: bounded.Text(detail, maxDetail)}
}

func describeError(e *orchestrator.Error) string {
	if e == nil {
		return "for no reason that is on record"
	}
	return e.Reason + ": " + e.Message
}
