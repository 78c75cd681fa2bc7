package engine

import (
	"context"
	"errors"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// recall has the agents stop that are being consulted about a task that came to nothing: nobody waits for their outcome any more. What is lost here, to a
// crash or to a store that is away, ends when the consultation expires.
func (e *Engine) recall(ctx context.Context, t *orchestrator.Task) {
	if t.Error == nil || len(t.Requirements) == 0 {
		return
	}
	list, err := e.Ledger.Consultations(ctx, t.Tenant, t.ID)
	for _, c := range list {
		if !c.Unanswered() || c.CarrierTaskID == "" {
			continue
		}
		_, cerr := e.Cancel(ctx, orchestrator.Key{Tenant: t.Tenant, ID: c.CarrierTaskID}, "the end of task "+t.ID, "")
		if fault.ReasonOf(cerr) != "TASK_ENDED" && fault.KindOf(cerr) != fault.NotFound {
			err = errors.Join(err, cerr)
		}
	}
	if err != nil {
		e.Logger.WarnContext(ctx, "agents that are consulted could not be told that a task has ended; they are until the consultation expires", taskAttr(t), errAttr(err))
	}
}
