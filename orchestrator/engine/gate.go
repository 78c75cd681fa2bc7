package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// pendingCheck is how long a gate waits for an outcome before it is checked again.
const pendingCheck = 15 * time.Second

// gate checks the requirements of the task's phase and lets the task pass, or stores what it waits for. Check and passage are one write, which fails when
// the task has changed since its content was judged.
func (e *Engine) gate(ctx context.Context, t orchestrator.Task) (stepResult, error) {
	d, err := e.Ledger.CheckInTurn(ctx, subject(&t, t.Phase), func() (leave func()) {
		if leave = e.traceQueries.Acquire(&t, orchestrator.Key{Tenant: t.Tenant}); leave != nil {
			e.runners.freeSlot()
		}
		return leave
	})
	if errors.Is(err, consultation.ErrNoTurn) {
		return stepResult{}, nil
	}
	if err != nil {
		return stepResult{}, err
	}
	g := orchestrator.Gate{Phase: t.Phase, Allowed: d.Allowed, Digest: t.Digest(t.Phase), Requirements: gateRecord(d.Requirements), CheckTime: e.now()}
	e.meters.gate(ctx, g)
	if d.Allowed {
		return e.storeGateResult(ctx, &t, g, func(t *orchestrator.Task) []orchestrator.Event {
			t.SetGate(g)
			if t.Phase != orchestrator.PhaseOnError {
				t.Error = nil
			}
			passed := event(t, orchestrator.EventGate, gateSummary(g))
			return append([]orchestrator.Event{passed}, e.passPhase(t, g.Phase)...)
		})
	}
	wait := gateWaitOf(d)
	if !gateChanged(&t, g, wait.state) {
		return wait.step, nil
	}
	_, err = e.storeGateResult(ctx, &t, g, func(t *orchestrator.Task) []orchestrator.Event {
		t.SetGate(g)
		t.State = wait.state
		if t.Phase != orchestrator.PhaseOnError { // in that phase Error says what went wrong; the gate says what is missing
			t.Error = wait.why
		}
		return []orchestrator.Event{event(t, orchestrator.EventGate, gateSummary(g))}
	})
	return wait.step, err
}

// storeGateResult stores the result of a gate, and counts it once it is stored: if the task has changed meanwhile, the check is repeated.
func (e *Engine) storeGateResult(ctx context.Context, read *orchestrator.Task, g orchestrator.Gate, do change) (stepResult, error) {
	next, err := e.transition(ctx, read, sameVersion, do)
	if err == nil {
		e.meters.verdict(ctx, g)
	}
	return next, err
}

// gateWait is the state of a task at a closed gate.
type gateWait struct {
	step  stepResult
	state a2apb.TaskState
	why   *orchestrator.Error
}

// gateWaitOf returns in which state a task waits: working while an outcome may still arrive, input-required once only a new consultation helps.
func gateWaitOf(d consultation.Decision) gateWait {
	w := gateWait{state: a2apb.TaskState_TASK_STATE_WORKING}
	for _, r := range d.Requirements {
		if !r.Blocks() {
			continue
		}
		final := needsConsultation(r)
		if w.why == nil || final && w.state != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED {
			w.why = &orchestrator.Error{Reason: r.Code, Message: r.Reason}
		}
		switch {
		case final:
			w.state = a2apb.TaskState_TASK_STATE_INPUT_REQUIRED
		case r.Verdict == consultation.VerdictUnavailable:
			w.step.wait = storeRetry
		case w.step.wait == 0:
			w.step.wait = pendingCheck
		}
	}
	if d.CheckAgain > 0 { // a trace backend is polled, since it does not wake us, and it may be down for long
		w.step.wait = d.CheckAgain
	}
	return w
}

// needsConsultation reports whether a requirement blocks until there is a new consultation: no outcome of those that there are can arrive any more.
func needsConsultation(r consultation.RequirementVerdict) bool {
	return r.Blocks() && r.Verdict != consultation.VerdictPending && r.Verdict != consultation.VerdictUnavailable
}

// blockedOnlyBy reports whether no requirement of a gate but this one needs a consultation.
func blockedOnlyBy(g orchestrator.Gate, requirementID string) bool {
	return !slices.ContainsFunc(g.Requirements, func(r consultation.RequirementVerdict) bool {
		return r.Requirement.ID != requirementID && needsConsultation(r)
	})
}
