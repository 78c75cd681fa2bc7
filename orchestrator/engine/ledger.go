package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

// reportEnd does what consultations need when a task has ended: consulted agents whose outcome nobody needs any more are stopped, and the consultation
// that the task carries learns how it ended. Only then is the task settled, so that neither a crash nor an unavailable store leaves anybody waiting.
func (e *Engine) reportEnd(ctx context.Context, read *orchestrator.Task) (stepResult, error) {
	if err := errors.Join(e.cancelConsultations(ctx, read), e.closeConsultation(ctx, read)); err != nil {
		return stepResult{}, fmt.Errorf("tell consultations of the end of task %s: %w", read.ID, err)
	}
	_, err := e.update(ctx, read.Key(), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.OwnerEpoch > read.OwnerEpoch {
			return nil, errMoved
		}
		t.OwnerEpoch, t.Untold = read.OwnerEpoch, false
		return nil, nil
	})
	return stepResult{wait: forever}, err
}

// cancelConsultations stops the agents that are being consulted about a task when nobody waits for their outcome any more. Who submitted a carrier may
// have died before it was noted, or have taken for not sent what the store has taken, so carriers are found by their ids.
func (e *Engine) cancelConsultations(ctx context.Context, t *orchestrator.Task) error {
	if !abandonsConsultations(t) {
		return nil
	}
	list, err := e.Ledger.Consultations(ctx, t.Tenant, t.ID, t.CreateTime)
	for _, c := range list {
		if c.Unanswered() || !c.Sent() {
			_, failed := e.Cancel(ctx, Cancellation{Key: carrierKey(c), Caller: "the end of task " + t.ID})
			if fault.ReasonOf(failed) != "TASK_ENDED" && fault.KindOf(failed) != fault.NotFound {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// abandonsConsultations reports whether a task has ended in a way that needs no outcome of a consultation about it.
func abandonsConsultations(t *orchestrator.Task) bool {
	return t.Ended() && t.Error != nil && len(t.Requirements) > 0
}

// endWithParent cancels a task whose work nobody needs, and reports whether it has: it serves a task that has ended. Usually that cancels it. But a
// process that is slow, or was paused, may store a task for another one that has ended meanwhile. So this is asked until an agent has the task.
func (e *Engine) endWithParent(ctx context.Context, t *orchestrator.Task) (needless bool, err error) {
	if t.Parent == nil || slices.ContainsFunc(t.Attempts, func(a orchestrator.Attempt) bool { return a.RemoteTaskID != "" }) {
		return false, nil
	}
	parent, err := e.Store.TaskPart(ctx, t.ParentKey(), orchestrator.Part{})
	switch {
	case fault.KindOf(err) == fault.NotFound: // it is no longer kept
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look whether task %s, which this one serves, has ended: %w", t.Parent.TaskID, err)
	case t.IsStep() && !parent.Ended(), t.CarriesConsultation() && !abandonsConsultations(&parent):
		return false, nil
	}
	_, err = e.Cancel(ctx, Cancellation{Key: t.Key(), Caller: "the end of task " + parent.ID})
	return err == nil, err
}

// closeConsultation tells the consultation that t carries, if any, what became of the question.
func (e *Engine) closeConsultation(ctx context.Context, t *orchestrator.Task) error {
	if !t.CarriesConsultation() {
		return nil
	}
	var err error
	if t.Error == nil {
		err = e.Ledger.Carried(ctx, t.Tenant, t.Parent.TaskID, t.Parent.ConsultationID)
	} else {
		err = e.Ledger.Fail(ctx, t.Tenant, t.Parent.TaskID, t.Parent.ConsultationID, t.Error.Reason+": "+t.Error.Message)
	}
	if fault.KindOf(err) == fault.NotFound { // the consultation is no longer kept
		return nil
	}
	return err
}

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
		question = cmp.Or(agenttask.Text(shownQuestion(t)), "for something, without words: the task is in state "+t.State.String())
	}
	err := e.Ledger.Asks(ctx, t.Tenant, t.Parent.TaskID, t.Parent.ConsultationID, question)
	if fault.KindOf(err) == fault.NotFound { // the consultation is no longer kept, which must not block the task
		return nil
	}
	return err
}
