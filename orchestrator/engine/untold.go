package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// tellEnd does what consultations need of a task that has ended: agents that are consulted about it in vain stop, and a consultation learns that its carrier
// brought an answer, or why not. The task is settled after that and not before, so that neither a crash nor a store that is away leaves anybody waiting.
func (e *Engine) tellEnd(ctx context.Context, read *orchestrator.Task) (step, error) {
	if err := errors.Join(e.recall(ctx, read), e.close(ctx, read)); err != nil {
		return step{}, fmt.Errorf("tell consultations of the end of task %s: %w", read.ID, err)
	}
	_, err := e.update(ctx, keyOf(read), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.OwnerEpoch > read.OwnerEpoch {
			return nil, errMoved
		}
		t.Untold = false
		return nil, nil
	})
	return step{wait: forever}, err
}

// recall has the agents stop that are being consulted about a task, if that came to nothing: nobody waits for their outcome any more.
func (e *Engine) recall(ctx context.Context, t *orchestrator.Task) error {
	if !t.Ended() || t.Error == nil || len(t.Requirements) == 0 {
		return nil
	}
	list, err := e.Ledger.Consultations(ctx, t.Tenant, t.ID)
	for _, c := range list {
		if c.Unanswered() && c.CarrierTaskID != "" {
			_, failed := e.Cancel(ctx, orchestrator.Key{Tenant: t.Tenant, ID: c.CarrierTaskID}, "the end of task "+t.ID, "")
			if fault.ReasonOf(failed) != "TASK_ENDED" && fault.KindOf(failed) != fault.NotFound {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}

// close tells the consultation that t carries, if it does, what became of the question.
func (e *Engine) close(ctx context.Context, t *orchestrator.Task) error {
	if !t.Carries() {
		return nil
	}
	var err error
	if t.Error == nil {
		err = e.Ledger.Carried(ctx, t.Tenant, t.Parent.TaskID, t.Parent.ConsultationID)
	} else {
		err = e.Ledger.Fail(ctx, t.Tenant, t.Parent.TaskID, t.Parent.ConsultationID, t.Error.Reason+": "+t.Error.Message)
	}
	if fault.KindOf(err) == fault.NotFound { // it has not been kept
		return nil
	}
	return err
}
