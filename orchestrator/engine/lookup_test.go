package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// archivist is an agent with ids of its own for what it did.
func archivist(name string) *actor {
	return &actor{name: name, play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		return say(snapshot(name+"-"+m.GetMessageId(), a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
	}}
}

// TestAMessageRefersToTasksAsTheAgentKnowsThem refers to tasks of all kinds. Those of others stay closed: the agent takes Quorate for one caller.
func TestAMessageRefersToTasksAsTheAgentKnowsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, archivist("archivist"), archivist("other"))
	do := func(agent, caller string, references ...string) orchestrator.Task {
		t.Helper()
		m := text("like that one")
		m.ReferenceTaskIds = references
		task, _ := w.awaitEnd(w.submit(engine.Submission{Tenant: tenant, Caller: caller, Message: m, Route: orchestrator.Route{Agent: agent}}).ID)
		return task
	}
	own, elsewhere, somebodys := do("archivist", "tester"), do("other", "tester"), do("archivist", "somebody else")
	named := []string{own.ID, elsewhere.ID, somebodys.ID, "its-own", "", own.ID}
	follow := do("archivist", "tester", named...)

	remote := own.Attempts[0].RemoteTaskID
	sends := w.agents.actor("archivist").sends()
	if got, want := sends[len(sends)-1].GetReferenceTaskIds(), []string{remote, elsewhere.ID, somebodys.ID, "its-own", "", remote}; !slices.Equal(got, want) {
		t.Errorf("the agent was referred to %q, want %q", got, want)
	}
	if got := w.task(follow.ID).Message.GetReferenceTaskIds(); !slices.Equal(got, named) {
		t.Errorf("the task's own message refers to %q, want what the caller named, %q", got, named)
	}
}

// TestFewReferencesAreLookedUp refers to more tasks than anybody means: each costs a look into the store.
func TestFewReferencesAreLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, archivist("archivist"))
	first, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "archivist"}}).ID)
	m := text("like those")
	m.ReferenceTaskIds = slices.Repeat([]string{first.ID}, 1000)
	w.awaitEnd(w.submit(engine.Submission{Message: m, Route: orchestrator.Route{Agent: "archivist"}}).ID)

	sent := w.agents.actor("archivist").sends()[1].GetReferenceTaskIds()
	if len(sent) != 1000 || sent[0] != first.Attempts[0].RemoteTaskID || sent[999] != first.ID {
		t.Errorf("of %d references the first is %q and the last %q, want all, the first as the agent knows it, the last as it came", len(sent), sent[0], sent[len(sent)-1])
	}
}

// TestAReplyRefersToTasksAsTheAgentKnowsThem answers what an agent asks by pointing to an earlier task.
func TestAReplyRefersToTasksAsTheAgentKnowsThem(t *testing.T) {
	t.Parallel()
	a := &actor{name: "archivist"}
	a.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		if m.GetTaskId() == "" {
			a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "like which one?"))
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "like which one?"))
		}
		a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
	}
	w := newWorld(t, a)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "archivist"}}).ID)
	reply := text("like this one so far")
	reply.ReferenceTaskIds = []string{task.ID}
	if _, err := w.engine.Reply(t.Context(), engine.Reply{Key: orchestrator.Key{Tenant: tenant, ID: task.ID}, Caller: "tester", Message: reply}); err != nil {
		t.Fatalf("Reply() = %v", err)
	}
	w.awaitEnd(task.ID)
	if got := a.sends()[1].GetReferenceTaskIds(); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("the agent was referred to %q, want its own task", got)
	}
}
