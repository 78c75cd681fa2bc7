package engine

import (
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

const maxQuestionBytes = 256 << 10

// byMessage is the prefix of a question's identity that is taken from its message, which is reliable.
const byMessage = "message "

// questionOf returns the identity of an agent's question: that of its message or, without one, the time of the state.
func questionOf(s *a2apb.TaskStatus) string {
	switch {
	case !orchestrator.Interrupted(s.GetState()):
		return ""
	case s.GetMessage().GetMessageId() != "":
		return byMessage + s.GetMessage().GetMessageId()
	case s.GetTimestamp() != nil:
		return "time " + s.GetTimestamp().AsTime().Truncate(time.Millisecond).Format(time.RFC3339Nano)
	default:
		return "question"
	}
}

// waitsForCaller reports whether the agent waits for its caller. It does not if it just has not read its reply yet.
func (h *remoteState) waitsForCaller() bool {
	return orchestrator.Interrupted(h.state) && (!h.replied || h.asked != h.answered)
}

// hasNewQuestion reports whether the agent waits with a question that the task does not have yet.
func (h *remoteState) hasNewQuestion(t *orchestrator.Task) bool {
	a, last := t.OpenAttempt(), len(t.Turns)-1
	if !h.waitsForCaller() || a == nil {
		return false
	}
	return a.Question != h.asked || h.repeats && last >= 0 && !t.Turns[last].FromAgent
}

// repeatsQuestion reports whether the last thing that the agent said is the question that the task has already.
func (h *remoteState) repeatsQuestion(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	return a != nil && a.Question != "" && (a.Question == h.asked || a.Question == byMessage+h.status.GetMessageId())
}

// checkQuestion refuses questions beyond the limits. The caller holds mu.
func (c *conversation) checkQuestion() error {
	switch {
	case c.task.LastEvent > 2*orchestrator.MaxEvents && c.remote.mirroredState() != c.task.State:
		return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent changes the state of its task without end; the log has %d entries", c.task.LastEvent)
	case !c.remote.hasNewQuestion(&c.task):
		return nil
	case len(c.task.Turns) >= orchestrator.MaxTurns:
		return fault.New(fault.FailedPrecondition, "TOO_MANY_TURNS", "the agent asks again after %d messages; a task takes no more", len(c.task.Turns))
	case proto.Size(c.remote.status) > maxQuestionBytes:
		return fault.New(fault.FailedPrecondition, "QUESTION_TOO_LARGE", "the agent asks with more than %d bytes", maxQuestionBytes)
	default:
		return c.task.CheckTurn(c.remote.status)
	}
}

// storeTurns adds the agent's question to the task, once, and marks the reply that the agent has received.
func (e *Engine) storeTurns(t *orchestrator.Task, h *remoteState) {
	if reply := t.EditPendingReply(); reply != nil && h.delivered {
		reply.Done = true
	}
	if !h.waitsForCaller() && orchestrator.Interrupted(t.State) { // the agent continued by itself
		t.State, t.StatusMessage = a2apb.TaskState_TASK_STATE_WORKING, nil
	}
	if !h.hasNewQuestion(t) {
		return
	}
	t.EditOpenAttempt().Question = h.asked
	t.StatusMessage = h.status
	h.showDraft(t)
	if h.status == nil {
		return
	}
	n := len(t.Turns) + 1
	t.Turns = append(t.Turns[:n-1:n-1], orchestrator.Turn{
		Number: n, FromAgent: true, MessageID: h.status.GetMessageId(), Question: h.asked, Time: e.now(), Message: h.status,
	})
}

// showDraft puts what the agent has made so far into a task that waits for its caller, who may have to judge it. If a review stands in between, or an
// artifact is large, that has to wait for the delivery: each step with one would write it again. The conversation may go on and change its own copy.
func (h *remoteState) showDraft(t *orchestrator.Task) {
	if t.Guarded() {
		return
	}
	before := t.Artifacts
	t.Artifacts, t.Metadata = nil, nil
	for i, a := range h.artifacts {
		switch {
		case proto.Size(a) > maxQuestionBytes:
			continue
		case i < len(before) && proto.Equal(before[i], a): // it need not be written again
			a = before[i]
		default:
			a = proto.CloneOf(a)
		}
		t.Artifacts = append(t.Artifacts, a)
	}
	if h.metadata != nil {
		t.Metadata = proto.CloneOf(h.metadata)
	}
}
