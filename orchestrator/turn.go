package orchestrator

import (
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// How much a task takes after its first message, from both sides together: everybody who reads the task gets all of it.
const (
	MaxTurns     = 200     // messages
	MaxTurnBytes = 4 << 20 // of all of them
)

// Turn is a message in a task after the first: a question of its agent, or the caller's reply to one. A reply is stored before any byte of it leaves.
type Turn struct {
	Number      int  // in the task, from 1
	FromAgent   bool // a question; otherwise a reply
	MessageID   string
	Question    string    `json:",omitempty"` // what is asked, or replied to: tells one question of an agent from its next
	RequestID   string    `json:",omitempty"` // of a reply: the same id and content is the same reply
	RequestHash string    `json:",omitempty"`
	Sends       int       `json:",omitempty"` // of a reply, each written down before it happens
	Done        bool      `json:",omitempty"` // a reply that the agent has, or will never take
	Time        time.Time // when it was stored

	Message *a2apb.Message `json:"-"` // kept apart from the rest by stores, never changed
}

// TurnBytes returns how many bytes the task's turns have, and a message would that is added to them.
func (t *Task) TurnBytes(added *a2apb.Message) int {
	n := proto.Size(added)
	for i := range t.Turns {
		n += proto.Size(t.Turns[i].Message)
	}
	return n
}

// Unsent returns the reply that is on its way to the agent, or nil. There is one at most: the next is taken only when the agent has asked again.
func (t *Task) Unsent() *Turn {
	if n := len(t.Turns); n > 0 && !t.Turns[n-1].FromAgent && !t.Turns[n-1].Done {
		return &t.Turns[n-1]
	}
	return nil
}

// EditUnsent returns the reply that is on its way in a copy of the list, which other holders of the task share, so that it may be changed; or nil.
func (t *Task) EditUnsent() *Turn {
	t.Turns = slices.Clone(t.Turns)
	return t.Unsent()
}

// Waits reports whether the agent waits for its caller: for input or for authorization. A task that a gate blocks waits for somebody else.
func (t *Task) Waits() bool {
	return t.Phase == PhaseExecution && Interrupted(t.State) && !t.Blocked()
}

// Interrupted reports whether a state is one in which a task waits for its caller (A2A §4.1.3).
func Interrupted(s a2apb.TaskState) bool {
	return s == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || s == a2apb.TaskState_TASK_STATE_AUTH_REQUIRED
}
