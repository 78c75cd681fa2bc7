package orchestrator

import (
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
)

// Limits of what a task takes after its first message, from both sides together: every reader of the task gets all of it.
const (
	MaxTurns     = 200     // messages
	MaxTurnBytes = 4 << 20 // total of all messages, in which there are at most MaxTaskValues values
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

// CheckTurn returns the FailedPrecondition fault "TURNS_TOO_LARGE" if the task's turns are too large together with a message.
func (t *Task) CheckTurn(added *a2apb.Message) error {
	bytes, values := proto.Size(added), Values(added)
	for i := range t.Turns {
		bytes, values = bytes+proto.Size(t.Turns[i].Message), values+Values(t.Turns[i].Message)
	}
	if bytes <= MaxTurnBytes && values <= MaxTaskValues {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "TURNS_TOO_LARGE",
		"the messages of task %s would have %d bytes and %d values with the next one, and a task takes %d bytes and %d values; send a shorter one, or cancel it",
		t.ID, bytes, values, MaxTurnBytes, MaxTaskValues).With("task", t.ID)
}

// PendingReply returns the reply that is on its way to the agent, or nil. There is at most one: the next is accepted only after the agent has asked
// again.
func (t *Task) PendingReply() *Turn {
	if n := len(t.Turns); n > 0 && !t.Turns[n-1].FromAgent && !t.Turns[n-1].Done {
		return &t.Turns[n-1]
	}
	return nil
}

// EditPendingReply returns the reply that is on its way for editing, or nil. It copies the list of turns first, because other copies of the task
// share it.
func (t *Task) EditPendingReply() *Turn {
	t.Turns = slices.Clone(t.Turns)
	return t.PendingReply()
}

// AwaitsCaller reports whether the agent waits for its caller, for input or authorization. A task that a gate blocks waits for somebody else.
func (t *Task) AwaitsCaller() bool {
	return t.Phase == PhaseExecution && Interrupted(t.State) && !t.Blocked()
}

// Waits reports whether the task goes on only when somebody does something: its caller, or an agent that is to be consulted. One that is being canceled
// ends by itself.
func (t *Task) Waits() bool { return (t.Blocked() || t.AwaitsCaller()) && !t.CancelAsked }

// Interrupted reports whether a task in this state waits for its caller (A2A §4.1.3).
func Interrupted(s a2apb.TaskState) bool {
	return s == a2apb.TaskState_TASK_STATE_INPUT_REQUIRED || s == a2apb.TaskState_TASK_STATE_AUTH_REQUIRED
}
