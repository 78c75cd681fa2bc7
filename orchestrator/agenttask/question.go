package agenttask

import (
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// maxQuestionBytes is the maximum size of a question, and of an artifact that is shown with one.
const maxQuestionBytes = 256 << 10

// byMessage is the prefix of a question's identity that is taken from its message, which is reliable.
const byMessage = "message "

// unnamed is the identity of a question of which the agent says neither.
const unnamed = "question"

// QuestionOf returns the identity of the question with which an agent waits, "" if it does not wait: that of its message or, without one, the time of
// the state.
func QuestionOf(s *a2apb.TaskStatus) string {
	switch {
	case !orchestrator.Interrupted(s.GetState()):
		return ""
	case s.GetMessage().GetMessageId() != "":
		return byMessage + s.GetMessage().GetMessageId()
	case s.GetTimestamp() != nil:
		return "time " + s.GetTimestamp().AsTime().Truncate(time.Millisecond).Format(time.RFC3339Nano)
	default:
		return unnamed
	}
}

// WaitsForCaller reports whether the agent waits for its caller. It does not if it just has not read its reply yet.
func (h *Task) WaitsForCaller() bool {
	return orchestrator.Interrupted(h.State) && !h.awaitsReaction()
}

// goesOn reports whether the agent is known to wait for nobody, so that what it asked before is over.
func (h *Task) goesOn() bool {
	return h.asked == "" && h.State != a2apb.TaskState_TASK_STATE_UNSPECIFIED
}

// HasNewQuestion reports whether the agent waits with a question that t does not have yet.
func (h *Task) HasNewQuestion(t *orchestrator.Task) bool {
	a, last := t.OpenAttempt(), len(t.Turns)-1
	if !h.WaitsForCaller() || a == nil {
		return false
	}
	return a.Question != h.asked || h.reply.askedAgain && last >= 0 && !t.Turns[last].FromAgent
}

// RepeatsQuestion reports whether the last thing that the agent said is the question that t has already.
func (h *Task) RepeatsQuestion(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	return a != nil && a.Question != "" && (a.Question == h.asked || a.Question == byMessage+h.Status.GetMessageId())
}

// CheckQuestion refuses a question to t beyond the limits.
func (h *Task) CheckQuestion(t *orchestrator.Task) error {
	switch {
	case t.LastEvent > 2*orchestrator.MaxEvents && h.MirroredState() != t.State:
		return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent changes the state of its task without end; the log has %d entries", t.LastEvent)
	case !h.HasNewQuestion(t):
		return nil
	case len(t.Turns) >= orchestrator.MaxTurns:
		return fault.New(fault.FailedPrecondition, "TOO_MANY_TURNS", "the agent asks again after %d messages; a task takes no more", len(t.Turns))
	case proto.Size(h.Status) > maxQuestionBytes:
		return fault.New(fault.FailedPrecondition, "QUESTION_TOO_LARGE", "the agent asks with more than %d bytes", maxQuestionBytes)
	default:
		return t.CheckTurn(h.Status)
	}
}

// RecordTurns adds the agent's question to t, once, and marks the reply that the agent has received.
func (h *Task) RecordTurns(t *orchestrator.Task, now time.Time) {
	if reply := t.EditPendingReply(); reply != nil && h.reply.taken {
		reply.Done = true
	}
	if a := t.EditOpenAttempt(); a != nil && h.goesOn() {
		t.StatusMessage = nil
		if a.Question == unnamed {
			a.Question = "" // another one without a name is none that the task has
		}
	}
	if !h.WaitsForCaller() && orchestrator.Interrupted(t.State) {
		t.State, t.StatusMessage = a2apb.TaskState_TASK_STATE_WORKING, nil
	}
	if !h.HasNewQuestion(t) {
		return
	}
	t.EditOpenAttempt().Question = h.asked
	t.StatusMessage = h.Status
	h.ShowDraft(t)
	if h.Status == nil {
		return
	}
	n := len(t.Turns) + 1
	t.Turns = append(t.Turns[:n-1:n-1], orchestrator.Turn{
		Number: n, FromAgent: true, MessageID: h.Status.GetMessageId(), Question: h.asked, Time: now, Message: h.Status,
	})
}

// ShowDraft puts what the agent has made so far into a task that waits for its caller, who may have to judge it. If a review stands in between, or an
// artifact is large, that has to wait for the delivery: each step with one would write it again. The agent may go on and change its own copy.
func (h *Task) ShowDraft(t *orchestrator.Task) {
	if t.Guarded() {
		return
	}
	before := t.Artifacts
	t.Artifacts, t.Metadata = nil, nil
	for i, a := range h.Artifacts {
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
	if h.Metadata != nil {
		t.Metadata = proto.CloneOf(h.Metadata)
	}
}
