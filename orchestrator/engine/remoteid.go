package engine

import (
	"cmp"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// maxRemoteID bounds the ids that agents choose, in bytes: they are kept in the state of a task, which has to be written whatever they are.
const maxRemoteID = 1 << 10

// checkRemoteIDs refuses a response whose ids are too long to be kept.
func checkRemoteIDs(r *a2apb.StreamResponse) error {
	status := cmp.Or(r.GetTask().GetStatus(), r.GetStatusUpdate().GetStatus())
	for _, id := range [...]string{
		taskIDOf(r), status.GetMessage().GetMessageId(),
		r.GetTask().GetContextId(), r.GetStatusUpdate().GetContextId(), r.GetArtifactUpdate().GetContextId(), r.GetMessage().GetContextId(),
	} {
		if len(id) > maxRemoteID {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid,
				"the agent's id of its task, the context or a message has %d bytes; at most %d are kept", len(id), maxRemoteID)
		}
	}
	return nil
}

// taskIDOf returns the agent's id of the task that a response is about, or "" when the response has none.
func taskIDOf(r *a2apb.StreamResponse) string {
	return cmp.Or(r.GetTask().GetId(), r.GetStatusUpdate().GetTaskId(), r.GetArtifactUpdate().GetTaskId(), r.GetMessage().GetTaskId())
}

func (h *remoteState) setTaskID(id string) bool {
	if id == "" || id == h.taskID {
		return false
	}
	h.taskID = id
	return true
}

func (h *remoteState) setContextID(contextID string) {
	if contextID != "" {
		h.contextID = contextID
	}
}

// recordIDs records the ids by which the agent knows the task.
func (h *remoteState) recordIDs(t *orchestrator.Task) {
	a := t.EditOpenAttempt()
	if h.taskID != "" {
		a.RemoteTaskID = h.taskID
	}
	if h.contextID != "" {
		a.RemoteContext = h.contextID
	}
}
