package engine

import (
	"cmp"
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// stepAndReport is step for a task that may carry a consultation: it tells the ledger that the consulted agent is waiting itself, and when it no longer
// is. It does so before each step and after one that ends in a wait, so that a crash in between is made up for.
func (e *Engine) stepAndReport(ctx context.Context, t orchestrator.Task) (stepResult, error) {
	if !t.CarriesConsultation() || t.Ended() {
		return e.step(ctx, t)
	}
	if len(t.Turns)+len(t.Gates) > 0 { // it has waited at some time
		if err := e.reportWaiting(ctx, &t); err != nil {
			return stepResult{}, err
		}
	}
	next, err := e.step(ctx, t)
	if err != nil || next.again || next.wait == forever {
		return next, err
	}
	now, err := e.Store.Task(ctx, t.Key())
	if err != nil {
		return stepResult{}, err
	}
	return next, e.reportWaiting(ctx, &now)
}

// reportWaiting tells the ledger what the agent of a carrying task waits for, if it does.
func (e *Engine) reportWaiting(ctx context.Context, t *orchestrator.Task) error {
	question := ""
	switch {
	case t.Ended():
		return nil // which is reported with its end
	case t.Blocked():
		question = "for a consultation of its own: " + describeError(gateError(t))
	case t.AwaitsCaller():
		question = cmp.Or(agenttask.Text(stepQuestion(t)), "for something, without words: the task is in state "+t.State.String())
	}
	err := e.Ledger.Asks(ctx, t.Tenant, t.Parent.TaskID, t.Parent.ConsultationID, question)
	if fault.KindOf(err) == fault.NotFound { // the consultation is no longer kept, which must not block the task
		return nil
	}
	return err
}
