package agenttask

import (
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

// maxGrowing is the size in bytes up to which a text is kept, to see what is added to it.
const maxGrowing = 64 << 10

// Words are the text of a message, by which the message is known when it comes again with more text. The zero value is that of no message.
type Words struct{ message, text string }

// Words returns those of what the agent last said, if that is nothing but a text, and not too long.
func (h *Task) Words() Words {
	text, only := orchestrator.OnlyText(h.Status)
	if !only || len(text) > maxGrowing {
		return Words{}
	}
	return Words{h.Status.GetMessageId(), text}
}

// Addition is Progress without what the agent had said before in the same message: agents that stream what their model says may send all of it with every
// word. It returns "" unless the message is that one, and has more text.
func (h *Task) Addition(before Words) (text string, said orchestrator.Saying) {
	all, only := orchestrator.OnlyText(h.Status)
	added, grown := strings.CutPrefix(all, before.text)
	if !only || !grown || before.message == "" || before.message != h.Status.GetMessageId() {
		return "", ""
	}
	// It has no id: readers that know a message by that would take it for all of the message.
	return progress(&a2apb.Message{Role: h.Status.GetRole(), Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: added}}}})
}
