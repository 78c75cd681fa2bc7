package engine

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/platform/fault"
)

// checkCircle refuses a message that has come back too often. An agent whose card leads to Quorate's own address gets each message as a new task of Quorate,
// which sends it there again: each of these tasks would wait for the next, until the caller has no calls left to cancel them with.
func (e *Engine) checkCircle(ctx context.Context, tenant string, m *a2apb.Message) error {
	for times := 1; ; times++ {
		id := agentmessage.TaskOf(m)
		if !orchestrator.IsTaskID(id) {
			return nil
		}
		t, err := e.Store.TaskPart(ctx, orchestrator.Key{Tenant: tenant, ID: id}, orchestrator.Part{Messages: true})
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return nil // another Quorate's, or made up
		case err != nil:
			return err
		case times > orchestrator.MaxReturns:
			return fault.New(fault.FailedPrecondition, "TASK_IN_CIRCLE",
				"this message has come back to Quorate more than %d times, over agent %q among others: look whether its card leads to Quorate itself", orchestrator.MaxReturns, t.Agent)
		}
		m = t.Message
	}
}
