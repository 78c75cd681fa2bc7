package orchestrator

import (
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// Limits of what a task takes after its first message, from both sides together: every reader of the task gets all of it.
const (
	MaxTurns     = 200     // messages
	MaxTurnBytes = 4 << 20 // total of all messages
)

// Turn is a message of a task after the first: a question of its agent, or the caller's reply. A reply is stored before any of it is sent.
type Turn struct {
	Number      int  // in the task, from 1
	FromAgent   bool // a question; otherwise it is a reply
	MessageID   string
	Question    string    `json:",omitempty"` // identifies the question that is asked or replied to
	RequestID   string    `json:",omitempty"` // of a reply: the same id and content count as the same reply
	RequestHash string    `json:",omitempty"`
	Sends       int       `json:",omitempty"` // of a reply: how often it was sent, stored before each sending
	Done        bool      `json:",omitempty"` // of a reply: the agent has it or will never take it
	Time        time.Time // when it was stored

	Message *a2apb.Message `json:"-"` // stored apart from the rest; never changed
}

// TurnBytes returns how many bytes the task's turns have, and a message would that is added to them.
func (t *Task) TurnBytes(added *a2apb.Message) int {
	n := proto.Size(added)
	for i := range t.Turns {
		n += proto.Size(t.Turns[i].Message)
	}
	return n
}

// Unsent returns the reply that is on its way to the agent, or nil. There is at most one: the next is accepted only after the agent has asked again.
func (t *Task) Unsent() *Turn {
	if n := len(t.Turns); n > 0 && !t.Turns[n-1].FromAgent && !t.Turns[n-1].Done {
		return &t.Turns[n-1]
	}
	return nil
}

// EditUnsent returns the reply that is on its way for editing, or nil. It copies the list of turns first, because other copies of the task share it.
func (t *Task) EditUnsent() *Turn {
	t.Turns = slices.Clone(t.Turns)
	return t.Unsent()
}

// Waits reports whether the agent waits for its caller, for input or authorization. A task that a gate blocks waits for somebody else.
func (t *Task) Waits() bool {
	return t.Phase == PhaseExecution && Interrupted(t.State) && !t.Blocked()
}

// Interrupted reports whether a task in this state waits for its caller (A2A §4.1.3).
func Interrupted(s a2apb.TaskState) bool {
	return s == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || s == a2apb.TaskState_TASK_STATE_AUTH_REQUIRED
}
