package agenttask

import "github.com/a2aproject/a2a-go/v2/a2apb/v1"

// The A2A project's server for JavaScript, before 1.0, reports the failure of an agent that breaks down under a new id in the task's own context, ends
// its answer, and says ever after that the task is working. So such a failure counts as that of the task if it is the last thing in the answer.

// Strayed reports whether a response was about another task than the one that the agent named first.
func (h *Task) Strayed() bool { return h.strayed }

// StrayFailure returns the failure of another task in the same context if that was the last thing that the agent said, or nil.
func (h *Task) StrayFailure() *a2apb.TaskStatus { return h.strayFailure }

func (h *Task) isStray(r *a2apb.StreamResponse) bool {
	id := idOf(r)
	return h.ID != "" && id != "" && id != h.ID
}

// noteStrayFailure notes that another task in the same context has failed, if an update says so.
func (h *Task) noteStrayFailure(u *a2apb.TaskStatusUpdateEvent) {
	if u.GetStatus().GetState() == a2apb.TaskState_TASK_STATE_FAILED && u.GetContextId() != "" && u.GetContextId() == h.ContextID {
		h.strayFailure = u.GetStatus()
	}
}
