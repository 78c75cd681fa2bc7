package agenttask

import (
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/bounded"
)

// Reasons for which a task ends because of its agent.
const (
	ReasonFailed   = "AGENT_FAILED"
	ReasonRejected = "AGENT_REJECTED"
	ReasonCanceled = "AGENT_CANCELED"
)

// How much of what an agent says is quoted, in characters.
const (
	maxProgress = 4000 // in the log: the answers of some agents consist of nothing else
	maxReason   = 500  // as the reason for which it did not deliver
)

// wordless is what the log says of a message that has no text.
const wordless = "a message without text"

// Progress returns what the agent last said, for the log, and what that leaves out; "" if it has said nothing.
func (h *Task) Progress() (text string, said orchestrator.Saying) {
	return progress(h.Status)
}

func progress(m *a2apb.Message) (text string, said orchestrator.Saying) {
	text = quote(m, maxProgress)
	said = orchestrator.NewSaying(m, text)
	if text == "" && (said != "" || slices.ContainsFunc(m.GetParts(), isNoText)) {
		text = wordless
	}
	return text, said
}

func isNoText(p *a2apb.Part) bool {
	_, text := p.GetContent().(*a2apb.Part_Text)
	return !text
}

func quote(m *a2apb.Message, most int) string {
	text := Text(m)
	if short := bounded.Characters(text, most); short != text {
		return short + "… (cut)"
	}
	return text
}

// Failure returns why the agent did not deliver, or nil when it did or has not ended its task.
func (h *Task) Failure() *orchestrator.Error {
	var reason, verb string
	switch h.State {
	case a2apb.TaskState_TASK_STATE_FAILED:
		reason, verb = ReasonFailed, "the agent failed"
	case a2apb.TaskState_TASK_STATE_REJECTED:
		reason, verb = ReasonRejected, "the agent rejected the task"
	case a2apb.TaskState_TASK_STATE_CANCELED:
		reason, verb = ReasonCanceled, "the agent canceled the task"
	default:
		return nil
	}
	if text := quote(h.Status, maxReason); text != "" {
		verb += ": " + text
	}
	return &orchestrator.Error{Reason: reason, Message: verb}
}

// Text returns the texts of a message, a line for each part.
func Text(m *a2apb.Message) string {
	var texts []string
	for _, p := range m.GetParts() {
		if p.GetText() != "" {
			texts = append(texts, p.GetText())
		}
	}
	return strings.Join(texts, "\n")
}
