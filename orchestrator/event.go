package orchestrator

import (
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// EventType is the kind of an event.
type EventType string

// Kinds of events.
const (
	EventSubmitted    EventType = "submitted"
	EventPhase        EventType = "phase"
	EventAttempt      EventType = "attempt"
	EventProgress     EventType = "progress" // in the agent's words
	EventRemark       EventType = "remark"   // in Quorate's: about the agent, or the steps of a plan
	EventDelivered    EventType = "delivered"
	EventGate         EventType = "gate"
	EventConsultation EventType = "consultation"
	EventState        EventType = "state"
	EventCanceling    EventType = "canceling"
	EventReply        EventType = "reply"
	EventPush         EventType = "push"
)

// Event is one entry in a task's numbered log. The store sets Sequence, which starts at 1 and has no gaps.
type Event struct {
	Sequence uint64 `json:",omitempty"`
	Time     time.Time
	Type     EventType
	State    a2apb.TaskState
	Phase    Phase
	Detail   string `json:",omitempty"`
	Said     Saying `json:",omitempty"`
}
