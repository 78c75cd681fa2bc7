package engine_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

// TestNoReplyIsLostOrDoubledWhereverItBreaks runs a task of three messages once for every call to the store and every kind of mishap, as
// TestNothingAcceptedIsLostWhereverItBreaks does: the agent hears every reply once, in order, and delivers what it was told.
func TestNoReplyIsLostOrDoubledWhereverItBreaks(t *testing.T) {
	t.Parallel()
	for _, bare := range []bool{false, true} {
		t.Run(fmt.Sprintf("history kept by the agent: %t", !bare), func(t *testing.T) {
			t.Parallel()
			wherever(t, 15, func(t *testing.T, x *trouble) {
				t.Helper()
				converse(t, x, bare)
			})
		})
	}
}

// converse has a task of three messages.
func converse(t *testing.T, x *trouble, bare bool) {
	t.Helper()
	agent := newAsker()
	agent.bare = bare
	s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
	s.meet(x)
	s.start()
	when := x.String()
	task := s.insist(when, func() (orchestrator.Task, error) {
		return s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"}, RequestID: "r",
		})
	})
	k := orchestrator.Key{Tenant: tenant, ID: task.ID}
	for n := range 2 {
		s.pass()
		s.insist(when, func() (orchestrator.Task, error) {
			return s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: text(fmt.Sprintf("answer %d", n+1)), RequestID: strconv.Itoa(n)})
		})
	}
	s.pass()
	s.stop()
	s.store.Fail = nil
	got, err := s.store.Task(t.Context(), k)
	if err != nil {
		t.Fatalf("%s: the accepted task is lost: %v", when, err)
	}
	if said := agent.said[got.Attempts[0].RemoteTaskID]; strings.Join(said, ", ") != "begin, answer 1, answer 2" || len(agent.said) != 1 {
		t.Errorf("%s: the agent was told %q, want each message once, in order", when, agent.said)
	}
	if got.State != a2apb.TaskState_TASK_STATE_COMPLETED || got.Artifacts[0].GetParts()[0].GetText() != "begin, answer 1, answer 2" {
		t.Errorf("%s: the task is in state %s (%+v) with %v", when, got.State, got.Error, got.Artifacts)
	}
	if got.StatusMessage != nil {
		t.Errorf("%s: the task has ended and still says %v", when, got.StatusMessage)
	}
	log, err := s.store.Events(t.Context(), k, 0, 1000)
	if said := count(log, orchestrator.EventProgress); err != nil || said != 2 {
		t.Errorf("%s: the log says %d times what the agent asked, want each question once: %v", when, said, log)
	}
	checkTurns(t, when, agent, &got)
}

// checkTurns compares a task's turns with what its agent was told.
func checkTurns(t *testing.T, when string, agent *asker, got *orchestrator.Task) {
	t.Helper()
	var talk []string
	for _, turn := range got.Turns {
		talk = append(talk, turn.Message.GetParts()[0].GetText())
		if sends := agent.sends[turn.MessageID]; !turn.FromAgent && (sends == 0 || sends > turn.Sends || !turn.Done) {
			t.Errorf("%s: reply %d arrived %d times and %d sends are on record, done %t", when, turn.Number, sends, turn.Sends, turn.Done)
		}
	}
	if want := "question 1?, answer 1, question 2?, answer 2"; strings.Join(talk, ", ") != want {
		t.Errorf("%s: the turns are %q, want %s", when, talk, want)
	}
}

// TestWhatATaskTakesOfItsCaller replies when it may and when it may not.
func TestWhatATaskTakesOfItsCaller(t *testing.T) {
	agent := newAsker()
	agent.state = a2apb.TaskState_TASK_STATE_AUTH_REQUIRED
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{t: t, store: &storetest.Memory{}, worker: newWorker(), client: agent}
		s.start()
		task, err := s.engine.Submit(t.Context(), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("begin"), Route: orchestrator.Route{Agent: "worker"}, Deadline: time.Now().Add(24 * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		k := orchestrator.Key{Tenant: tenant, ID: task.ID}
		reply := func(m *a2apb.Message, request, want string) {
			t.Helper()
			if _, err := s.engine.Reply(t.Context(), engine.Reply{Key: k, Caller: "tester", Message: m, RequestID: request}); fault.ReasonOf(err) != want && (err != nil || want != "") {
				t.Errorf("Reply(%v) = %v, want %q", m, err, want)
			}
		}
		reply(text("too early"), "", "TASK_NOT_WAITING")
		s.pass()
		before := s.store.Calls()
		s.pass()
		if calls := s.store.Calls() - before; calls > 60 {
			t.Errorf("a task that waits made %d calls to the store in four minutes, want few", calls)
		}
		waiting, err := s.store.Task(t.Context(), k)
		if err != nil || waiting.State != a2apb.TaskState_TASK_STATE_AUTH_REQUIRED || waiting.StatusMessage.GetParts()[0].GetText() != "question 1?" {
			t.Errorf("the task is in state %s saying %v, %v, want AUTH_REQUIRED with the agent's question", waiting.State, waiting.StatusMessage, err)
		}
		if waiting.Blocked() || !waiting.AwaitsCaller() {
			t.Error("a task whose agent asks must not look as if a gate blocked it")
		}
		elsewhere := text("elsewhere")
		elsewhere.ContextId = "another"
		reply(elsewhere, "", "CONTEXT_MISMATCH")
		astray := text("astray")
		astray.TaskId = "another"
		reply(astray, "", "TASK_MISMATCH")
		reply(&a2apb.Message{}, "", "MESSAGE_EMPTY")
		reply(&a2apb.Message{Role: a2apb.Role_ROLE_AGENT, Parts: text("one").GetParts()}, "", "ROLE_INVALID")
		one := text("one")
		one.TaskId, one.ContextId = k.ID, task.ContextID
		reply(one, "1", "")
		reply(text("one"), "1", "")
		reply(text("other"), "1", "REQUEST_ID_REUSED")
		reply(text("two, too soon"), "2", "TASK_NOT_WAITING")
		s.pass()
		reply(text("two"), "2", "")
		s.pass()
		reply(text("late"), "", "TASK_ENDED")
		done, err := s.store.Task(t.Context(), k)
		if err != nil || done.State != a2apb.TaskState_TASK_STATE_COMPLETED || done.Artifacts[0].GetParts()[0].GetText() != "begin, one, two" {
			t.Errorf("the task ended as %+v, %v, want completed with all that was said", done, err)
		}
		if agent.shown > 3 { // one before the first reply, two before the second
			t.Errorf("the agent was asked %d times and had to show %d messages of its history, want those that a reply is looked for among", agent.asked, agent.shown)
		}
		s.stop()
	})
}

// TestTasksOfAContextShareTheAgentsOwn sends messages in contexts that the engine and the caller named.
func TestTasksOfAContextShareTheAgentsOwn(t *testing.T) {
	w := newWorld(t, &actor{name: "memory", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		answer := snapshot("r-"+m.GetMessageId(), a2apb.TaskState_TASK_STATE_COMPLETED, "", "in "+m.GetContextId())
		if answer.GetTask().ContextId = m.GetContextId(); m.GetContextId() == "" {
			answer.GetTask().ContextId = "own-" + m.GetMessageId()
		}
		return say(answer)
	}})
	in := func(contextID, caller string) (orchestrator.Task, string) {
		t.Helper()
		m := text("go on")
		m.ContextId = contextID
		task, _ := w.awaitEnd(w.submit(engine.Submission{Tenant: tenant, Caller: caller, Message: m, Route: orchestrator.Route{Agent: "memory"}}).ID)
		return task, task.Artifacts[0].GetParts()[0].GetText()
	}
	for name, contextID := range map[string]string{"made here": "", "named by the caller": "mine"} {
		first, said := in(contextID, "tester")
		if said != "in " {
			t.Errorf("%s: the first message was sent %s, want in no context of the agent", name, said)
		}
		own := first.Attempts[0].RemoteContext
		for range 2 {
			if _, said := in(first.ContextID, "tester"); own == "" || said != "in "+own {
				t.Errorf("%s: a later message was sent %s, want in %q", name, said, own)
			}
		}
		if _, said := in(first.ContextID, "somebody else"); said != "in " {
			t.Errorf("%s: somebody else's message was sent %s, want in no context of the agent", name, said)
		}
	}
}

// TestAConversationStaysWithTheCopyThatKnowsIt sends messages to agents that do the same, in contexts that the engine and the caller named.
func TestAConversationStaysWithTheCopyThatKnowsIt(t *testing.T) {
	var copies []*actor
	for _, name := range []string{"copy-1", "copy-2", "copy-3", "copy-4"} {
		copies = append(copies, &actor{name: name, skill: "talk", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
			answer := snapshot("r-"+m.GetMessageId(), a2apb.TaskState_TASK_STATE_COMPLETED, "", "hm")
			if answer.GetTask().ContextId = m.GetContextId(); m.GetContextId() == "" {
				answer.GetTask().ContextId = "own-" + m.GetMessageId()
			}
			return say(answer)
		}})
	}
	w := newWorld(t, append(copies, &actor{name: "other", skill: "draw", play: delivers("it")})...)
	in := func(contextID, skill string) orchestrator.Task {
		t.Helper()
		m := text("go on")
		m.ContextId = contextID
		task, _ := w.awaitEnd(w.submit(engine.Submission{Tenant: tenant, Caller: "tester", Message: m, Route: orchestrator.Route{Skill: skill}}).ID)
		return task
	}
	for name, contextID := range map[string]string{"made here": "", "named by the caller": "mine"} {
		first := in(contextID, "talk")
		for range 12 {
			if at := in(first.ContextID, "talk").Agent; at != first.Agent {
				t.Errorf("%s: a conversation with %s went on with %s", name, first.Agent, at)
			}
		}
		if at := in(first.ContextID, "draw").Agent; at != "other" {
			t.Errorf("%s: a task for another skill went to %s", name, at)
		}
		if at := in(first.ContextID, "talk").Agent; at != first.Agent {
			t.Errorf("%s: after a task for another agent, a conversation with %s went on with %s", name, first.Agent, at)
		}
	}
}
