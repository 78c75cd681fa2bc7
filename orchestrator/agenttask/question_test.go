package agenttask_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/platform/fault"
)

const (
	working = a2apb.TaskState_TASK_STATE_WORKING
	waiting = a2apb.TaskState_TASK_STATE_INPUT_REQUIRED
)

// says is an agent's task r in the context c, in a state and with a message unless its id is empty.
func says(state a2apb.TaskState, id string) *a2apb.StreamResponse {
	status := &a2apb.TaskStatus{State: state}
	if id != "" {
		status.Message = &a2apb.Message{MessageId: id, Role: a2apb.Role_ROLE_AGENT, Parts: text(id)}
	}
	return agenttask.Snapshot(&a2apb.Task{Id: "r", ContextId: "c", Status: status})
}

// begun is a task that an agent has got.
func begun() orchestrator.Task {
	return orchestrator.Task{State: working, Phase: orchestrator.PhaseExecution, Attempts: []orchestrator.Attempt{{Number: 1}}}
}

func TestTheNamesThatAnAgentGivesHaveToBeStored(t *testing.T) {
	t.Parallel()
	h := apply(t, says(working, ""))
	for name, test := range map[string]struct {
		task, context string
		want          bool
	}{
		"neither": {"", "", false}, "the task's": {"r", "", false}, "the context's": {"", "c", false}, "others": {"x", "y", false}, "both": {"r", "c", true},
	} {
		task := begun()
		task.Attempts[0].RemoteTaskID, task.Attempts[0].RemoteContext = test.task, test.context
		if got := h.Recorded(&task); got != test.want {
			t.Errorf("%s: Recorded() = %t, want %t", name, got, test.want)
		}
		if h.RecordIDs(&task); !h.Recorded(&task) || task.Attempts[0].RemoteTaskID != "r" || task.Attempts[0].RemoteContext != "c" {
			t.Errorf("%s: after RecordIDs() the attempt is %+v, want both names in it", name, task.Attempts[0])
		}
	}
	task, unnamed := begun(), agenttask.Task{State: working}
	task.Attempts[0].RemoteTaskID = "r"
	if unnamed.RecordIDs(&task); task.Attempts[0].RemoteTaskID != "r" || !unnamed.Recorded(&task) {
		t.Errorf("an agent that names nothing leaves %+v, want what it was", task.Attempts[0])
	}
	if task.State = waiting; unnamed.Recorded(&task) {
		t.Error("Recorded() of an agent that works on a task that waits = true, want false")
	}
}

// dialogue is a task and what is known of its agent.
type dialogue struct {
	*testing.T
	task orchestrator.Task
	h    agenttask.Task
}

func (d *dialogue) hear(r *a2apb.StreamResponse) {
	d.Helper()
	if _, err := d.h.Apply(r); err != nil {
		d.Fatal(err)
	}
}

func (d *dialogue) reply(id, question string, arrived bool) {
	d.task.Turns = append(d.task.Turns, orchestrator.Turn{Number: len(d.task.Turns) + 1, MessageID: id, Question: question})
	d.h.ExpectReaction(question, arrived)
}

// want wants a new question to be there or not, and records all. Then it wants the task in a state, with these turns: questions begin with q, and replies that are
// done end with an exclamation mark.
func (d *dialogue) want(when string, news bool, state a2apb.TaskState, turns string) {
	d.Helper()
	if got := d.h.HasNewQuestion(&d.task); got != news || got && d.h.Recorded(&d.task) {
		d.Errorf("%s: HasNewQuestion() = %t, and Recorded() = %t, want a new question: %t", when, got, d.h.Recorded(&d.task), news)
	}
	if changes := d.h.MirroredState() != d.task.State; changes && d.h.Recorded(&d.task) {
		d.Errorf("%s: Recorded() = true in state %s, want false", when, d.task.State)
	}
	d.h.RecordTurns(&d.task, noon)
	d.task.State = d.h.MirroredState()
	var said []string
	for _, turn := range d.task.Turns {
		if turn.FromAgent != turn.Time.Equal(noon) || turn.FromAgent != strings.HasPrefix(turn.MessageID, "q") {
			d.Errorf("%s: turn %d is %+v, want it the agent's if it is a question, and of now", when, turn.Number, turn)
		}
		said = append(said, turn.MessageID+map[bool]string{true: "!"}[turn.Done])
	}
	if got := strings.Join(said, " "); d.task.State != state || got != turns || (d.task.StatusMessage != nil) != (state == waiting) {
		d.Errorf("%s: the task is in state %s after %q, with the message %v, want %s after %q", when, d.task.State, got, d.task.StatusMessage, state, turns)
	}
	if !d.h.Recorded(&d.task) {
		d.Errorf("%s: Recorded() = false when it is, want true", when)
	}
}

var noon = time.Date(2026, 1, 16, 12, 0, 0, 0, time.UTC)

// TestADialogueIsRecorded has an agent ask, be replied to, show its question for a while, ask it again, and ask something else.
func TestADialogueIsRecorded(t *testing.T) {
	t.Parallel()
	d := &dialogue{t, begun(), apply(t, says(working, ""))}
	d.h.RecordIDs(&d.task)
	d.want("as it works", false, working, "")
	d.hear(says(waiting, "q1"))
	d.want("as it asks", true, waiting, "q1")
	d.reply("re1", "message q1", false)
	d.want("before it has the reply", false, working, "q1 re1")
	if d.h.ReplyTaken(); d.h.Recorded(&d.task) {
		t.Error("Recorded() = true when the agent has the reply, want false")
	}
	d.hear(says(waiting, "q1"))
	d.want("as it still shows its question", false, working, "q1 re1!")
	if !d.h.StopAwaitingReaction() || d.h.StopAwaitingReaction() {
		t.Error("StopAwaitingReaction() = false, or true twice, want it to find once that the agent asks again")
	}
	d.want("as it asks again", true, waiting, "q1 re1! q1")
	d.reply("re2", "message q1", true)
	d.want("as it has the second reply", false, working, "q1 re1! q1 re2!")
	d.hear(says(waiting, "q2"))
	d.want("as it asks something else", true, waiting, "q1 re1! q1 re2! q2")
	d.reply("re3", "message q2", false)
	d.h.ReplyDeclined()
	d.want("as it declines the reply", true, waiting, "q1 re1! q1 re2! q2 re3! q2")
	d.hear(says(working, ""))
	d.want("as it goes on", false, working, "q1 re1! q1 re2! q2 re3! q2")
	if d.h.Status != nil {
		t.Errorf("the agent goes on and says %v, want nothing: it was a question", d.h.Status)
	}
}

// TestAnAnswerWithoutAStateLeavesTheQuestion has an agent speak without a state, or in one that only newer versions of A2A have, while it waits and when it has a
// reply.
func TestAnAnswerWithoutAStateLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	const unknown = a2apb.TaskState_TASK_STATE_UNSPECIFIED
	d := &dialogue{t, begun(), apply(t, says(waiting, "q1"))}
	d.h.RecordIDs(&d.task)
	d.want("as it asks", true, waiting, "q1")
	d.hear(says(unknown, ""))
	d.want("as it says nothing", false, waiting, "q1")
	d.hear(says(unknown, "still here"))
	d.want("as it says something else", false, waiting, "q1")
	d.reply("re1", "message q1", true)
	d.hear(says(unknown, "I see"))
	d.want("as it has the reply", false, working, "q1 re1!")
	d.hear(says(waiting, "q2"))
	d.want("as it asks something else", true, waiting, "q1 re1! q2")
}

func TestWhatTellsAQuestionFromAnother(t *testing.T) {
	t.Parallel()
	at := timestamppb.New(time.Date(2026, 1, 16, 0, 0, 0, 1_234_567, time.UTC))
	q := &a2apb.Message{MessageId: "q"}
	for want, s := range map[string]*a2apb.TaskStatus{
		"":                              {State: working, Message: q, Timestamp: at},
		"message q":                     {State: a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, Message: q, Timestamp: at},
		"time 2026-01-16T00:00:00.001Z": {State: waiting, Timestamp: at}, // a store keeps no more of it
		"question":                      {State: waiting, Message: new(a2apb.Message)},
	} {
		if got := agenttask.QuestionOf(s); got != want {
			t.Errorf("QuestionOf(%v) = %q, want %q", s, got, want)
		}
	}
}

// TestTheLastWordMayBeTheQuestion has agents end, or go on, with the words with which they asked.
func TestTheLastWordMayBeTheQuestion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asked string
		says  *a2apb.StreamResponse
		want  bool
	}{
		"it asks":                     {"message q", says(waiting, "q"), true},
		"it asks something else":      {"message q", says(waiting, "other"), false},
		"it asks without a message":   {"question", says(waiting, ""), true},
		"it ends with the question":   {"message q", says(a2apb.TaskState_TASK_STATE_COMPLETED, "q"), true},
		"it ends with something else": {"message q", says(a2apb.TaskState_TASK_STATE_COMPLETED, "other"), false},
		"it never asked":              {"", says(working, ""), false},
	} {
		h, task := apply(t, test.says), begun()
		task.Attempts[0].Question = test.asked
		if got := h.RepeatsQuestion(&task); got != test.want {
			t.Errorf("RepeatsQuestion() when %s = %t, want %t", name, got, test.want)
		}
		if h.RepeatsQuestion(new(orchestrator.Task)) {
			t.Errorf("RepeatsQuestion() without an attempt when %s = true, want false", name)
		}
	}
}

func TestWhetherAReplyHasArrived(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		question string
		shows    *a2apb.Task
		want     bool
	}{
		"it is in the history":               {"message q1", &a2apb.Task{Status: says(waiting, "q1").GetTask().GetStatus(), History: []*a2apb.Message{{MessageId: "x"}, {MessageId: "re"}}}, true},
		"the agent still asks":               {"message q1", &a2apb.Task{Status: says(waiting, "q1").GetTask().GetStatus(), History: []*a2apb.Message{{MessageId: "x"}}}, false},
		"the agent asks something else":      {"message q1", says(waiting, "q2").GetTask(), true},
		"the agent works":                    {"message q1", says(working, "").GetTask(), true},
		"the agent asks without a message":   {"message q1", says(waiting, "").GetTask(), false},
		"it asked without one, and now with": {"question", says(waiting, "q1").GetTask(), false},
	} {
		if got := agenttask.ReplyArrived(test.shows, &orchestrator.Turn{MessageID: "re", Question: test.question}); got != test.want {
			t.Errorf("ReplyArrived() when %s = %t, want %t", name, got, test.want)
		}
	}
}

func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	large := func(n int) *a2apb.StreamResponse {
		r := says(waiting, "q")
		r.GetTask().GetStatus().GetMessage().Parts = text(strings.Repeat("x", n))
		return r
	}
	turns := func(n int) []orchestrator.Turn { return make([]orchestrator.Turn, n) }
	for name, test := range map[string]struct {
		says  *a2apb.StreamResponse
		turns []orchestrator.Turn
		asked string
		log   uint64
		want  string
	}{
		"one more":                  {says(waiting, "q"), turns(orchestrator.MaxTurns - 1), "", 0, ""},
		"one too many":              {says(waiting, "q"), turns(orchestrator.MaxTurns), "", 0, "TOO_MANY_TURNS"},
		"the last one, once more":   {says(waiting, "q"), turns(orchestrator.MaxTurns), "message q", 0, ""},
		"a large one":               {large(255 << 10), nil, "", 0, ""},
		"one that is too large":     {large(256 << 10), nil, "", 0, "QUESTION_TOO_LARGE"},
		"one for which is no room":  {large(200 << 10), []orchestrator.Turn{{Message: &a2apb.Message{Parts: text(strings.Repeat("x", orchestrator.MaxTurnBytes-100<<10))}}}, "", 0, "TURNS_TOO_LARGE"},
		"a state in a full log":     {says(waiting, "q"), nil, "", 2 * orchestrator.MaxEvents, ""},
		"a state in an endless log": {says(waiting, "q"), nil, "", 2*orchestrator.MaxEvents + 1, agentclient.ReasonAnswerInvalid},
		"no change of an endless":   {says(working, ""), nil, "", 2*orchestrator.MaxEvents + 1, ""},
	} {
		h, task := apply(t, test.says), begun()
		task.Turns, task.Attempts[0].Question, task.LastEvent = test.turns, test.asked, test.log
		if err := h.CheckQuestion(&task); fault.ReasonOf(err) != test.want {
			t.Errorf("CheckQuestion() of %s = %v, want %q", name, err, test.want)
		}
	}
}
