package engine

import (
	"context"
	"fmt"

	"github.com/quorate/quorate/orchestrator"
)

// strayMessage is logged when an agent's response is about another task.
const strayMessage = "the agent spoke of another task than the one it named; that is ignored"

// remark is something for the log of a task: what its agent said or, if it is ours, what was found out about the agent.
type remark struct {
	text    string
	said    orchestrator.Saying
	message string // the id of the agent's message
	ours    bool
	asks    bool // it is the question with which the agent waits
}

// noteProgress notes what the log is to say about a response. strayed says whether one was about another task before. The caller holds mu.
func (c *conversation) noteProgress(strayed bool) {
	said := remark{message: c.remote.Status.GetMessageId()}
	said.text, said.said = c.remote.Progress()
	added := said
	added.text, added.said = c.remote.Addition(c.lastWords)
	switch {
	case c.remote.Strayed() && !strayed:
		c.remember(remark{text: strayMessage, ours: true})
	case said.text == "", said == c.lastSaid && added.text == "", c.remote.RepeatsQuestion(&c.task):
	case len(c.unsavedProgress) < orchestrator.MaxEvents: // the log has no room for more
		c.lastSaid, c.lastWords = said, c.remote.Words()
		if added.text != "" {
			said = added
		}
		said.asks = c.remote.WaitsForCaller()
		c.remember(said)
	}
}

// remember keeps a remark for the next save. The caller holds mu.
func (c *conversation) remember(r remark) {
	c.unsavedProgress, c.unsavedBytes = append(c.unsavedProgress, r), c.unsavedBytes+len(r.text)+len(r.said)
}

// note notes for the log what was found out about the agent. The caller holds mu.
func (c *conversation) note(ctx context.Context, format string, args ...any) {
	c.remember(remark{text: fmt.Sprintf(format, args...), ours: true})
	c.scheduleSave(ctx)
}

// guardedProgress returns the events for what was noted of the agent, as far as the log has room. It leaves out the agent's words while a gate may still
// hold back the work.
func guardedProgress(t *orchestrator.Task, noted ...remark) []orchestrator.Event {
	guarded, shown := t.Guarded(), make([]remark, len(noted))
	for i, n := range noted {
		if guarded && !n.ours {
			n = remark{text: "the agent reports progress; its words are held back until the gate opens", ours: true}
		}
		shown[i] = n
	}
	return remarkEvents(t, shown)
}

// notedEvents returns remarks of ours, as far as the log has room.
func notedEvents(t *orchestrator.Task, texts ...string) []orchestrator.Event {
	remarks := make([]remark, len(texts))
	for i, text := range texts {
		remarks[i] = remark{text: text, ours: true}
	}
	return remarkEvents(t, remarks)
}

// remarkEvents returns the events for remarks, as far as the log has room.
func remarkEvents(t *orchestrator.Task, remarks []remark) []orchestrator.Event {
	var events []orchestrator.Event
	for _, r := range remarks {
		switch at := t.LastEvent + uint64(len(events)); {
		case at == orchestrator.MaxEvents:
			r = remark{text: fmt.Sprintf("the log has %d entries; further progress is not logged", at), ours: true}
		case at > orchestrator.MaxEvents:
			return events
		}
		e := event(t, orchestrator.EventProgress, r.text)
		if e.Said = r.said; r.ours {
			e.Type = orchestrator.EventRemark
		}
		events = append(events, e)
	}
	return events
}
