package engine

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/platform/fault"
)

// checkHops refuses a message that has been sent for too many tasks. An agent whose card leads to Quorate's own address, or to another Quorate that leads back, gets
// each message as a new task, which sends it there again: each of these tasks would wait for the next, until the caller has no calls left to cancel them with.
func checkHops(m *a2apb.Message) error {
	if agentmessage.Hops(m) <= orchestrator.MaxHops {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "TASK_IN_CIRCLE",
		"this message has been sent for more than %d tasks, one after the other: look for an agent whose card leads to Quorate itself, or to another one that leads back", orchestrator.MaxHops)
}
