package agenttask

import (
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// checkPlain refuses a response that could be stored but never read again.
func checkPlain(r *a2apb.StreamResponse) error {
	ok := orchestrator.PlainMessage(r.GetMessage()) && orchestrator.PlainMessage(r.GetStatusUpdate().GetStatus().GetMessage()) &&
		orchestrator.PlainMessage(r.GetTask().GetStatus().GetMessage()) && orchestrator.PlainArtifact(r.GetArtifactUpdate().GetArtifact()) &&
		orchestrator.PlainMetadata(r.GetTask().GetMetadata()) && orchestrator.PlainMetadata(r.GetStatusUpdate().GetMetadata())
	for _, a := range r.GetTask().GetArtifacts() {
		ok = ok && orchestrator.PlainArtifact(a)
	}
	if !ok {
		return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent's data has lists and objects more than %d deep in one another, or values or fields that JSON does not have", orchestrator.MaxNesting)
	}
	return nil
}
