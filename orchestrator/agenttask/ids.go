package agenttask

import (
	"cmp"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// maxID bounds the ids that agents choose, in bytes: they are kept in the state of a task, which has to be written whatever they are.
const maxID = 1 << 10

// CheckIDs refuses a response whose ids are too long to be kept.
func CheckIDs(r *a2apb.StreamResponse) error {
	status := cmp.Or(r.GetTask().GetStatus(), r.GetStatusUpdate().GetStatus())
	for _, id := range [...]string{
		idOf(r), status.GetMessage().GetMessageId(),
		r.GetTask().GetContextId(), r.GetStatusUpdate().GetContextId(), r.GetArtifactUpdate().GetContextId(), r.GetMessage().GetContextId(),
	} {
		if len(id) > maxID {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid,
				"the agent's id of its task, the context or a message has %d bytes; at most %d are kept", len(id), maxID)
		}
	}
	return nil
}

// idOf returns the agent's id of the task that a response is about, or "" when the response has none.
func idOf(r *a2apb.StreamResponse) string {
	return cmp.Or(r.GetTask().GetId(), r.GetStatusUpdate().GetTaskId(), r.GetArtifactUpdate().GetTaskId(), r.GetMessage().GetTaskId())
}

func (h *Task) setID(id string) bool {
	if id == "" || id == h.ID {
		return false
	}
	h.ID = id
	return true
}

func (h *Task) setContextID(contextID string) {
	if contextID != "" {
		h.ContextID = contextID
	}
}

// RecordIDs records in the open attempt of t the ids by which the agent knows the task.
func (h *Task) RecordIDs(t *orchestrator.Task) {
	a := t.EditOpenAttempt()
	if h.ID != "" {
		a.RemoteTaskID = h.ID
	}
	if h.ContextID != "" {
		a.RemoteContext = h.ContextID
	}
}

// Recorded reports whether t says everything that has to be stored before the end.
func (h *Task) Recorded(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	named := (h.ID == "" || h.ID == a.RemoteTaskID) && (h.ContextID == "" || h.ContextID == a.RemoteContext)
	return named && h.MirroredState() == t.State && !h.HasNewQuestion(t) && (!h.reply.taken || t.PendingReply() == nil)
}
