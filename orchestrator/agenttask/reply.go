package agenttask

import (
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// reply is what is known of the caller's reply to the agent's question.
type reply struct {
	sent       bool   // and while the agent waits with the question answered, it has not read it
	answered   string // identifies that question
	taken      bool   // the agent has the reply
	askedAgain bool   // the agent asks the same question again
}

// ExpectReaction says that a reply to a question is on its way to the agent or, if arrived, there.
func (h *Task) ExpectReaction(question string, arrived bool) {
	h.reply.sent, h.reply.answered, h.reply.taken = true, question, arrived
}

// ReplyTaken says that the agent has the reply.
func (h *Task) ReplyTaken() { h.reply.taken = true }

// ReplyDeclined says that the agent did not take the reply, and still waits for one.
func (h *Task) ReplyDeclined() {
	h.ReplyTaken()
	h.askAgain()
}

// StopAwaitingReaction says that the agent has had the time to react to the reply: if it still waits with the question answered, it asks that again. It
// reports whether that is so.
func (h *Task) StopAwaitingReaction() (asksAgain bool) {
	if !h.awaitsReaction() {
		return false
	}
	h.askAgain()
	return true
}

func (h *Task) askAgain() { h.reply.sent, h.reply.askedAgain = false, true }

// awaitsReaction reports whether the agent, as far as it has told, has not read the reply.
func (h *Task) awaitsReaction() bool { return h.reply.sent && h.asked == h.reply.answered }

// ReplyArrived reports whether an agent's task shows that it has received the reply: it is in the history, or the agent no longer waits for it.
func ReplyArrived(t *a2apb.Task, reply *orchestrator.Turn) bool {
	if slices.ContainsFunc(t.GetHistory(), func(m *a2apb.Message) bool { return m.GetMessageId() == reply.MessageID }) {
		return true
	}
	asked := QuestionOf(t.GetStatus())
	return asked == "" || asked != reply.Question && strings.HasPrefix(asked, byMessage) && strings.HasPrefix(reply.Question, byMessage)
}
