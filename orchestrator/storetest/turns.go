package storetest

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// RunContexts runs the suite of what stores remember of contexts; open returns a new empty store each time.
func RunContexts(t *testing.T, open func(t *testing.T) orchestrator.ContextStore) {
	t.Helper()
	t.Run("an agent's own id of a context is kept for its caller and nobody else", func(t *testing.T) { contexts(t, open(t)) })
}

func contexts(t *testing.T, s orchestrator.ContextStore) {
	k := orchestrator.ContextKey{Tenant: "default", Owner: "tester", ContextID: "c", Agent: "echo"}
	for _, id := range []string{"remote-1", "remote-2"} {
		if err := s.SetAgentContext(t.Context(), k, id); err != nil {
			t.Fatalf("SetAgentContext() = %v", err)
		}
		if got, err := s.AgentContext(t.Context(), k); got != id || err != nil {
			t.Errorf("AgentContext() = %q, %v, want %q", got, err, id)
		}
	}
	for _, other := range []orchestrator.ContextKey{
		{Tenant: "other", Owner: "tester", ContextID: "c", Agent: "echo"},
		{Tenant: "default", Owner: "other", ContextID: "c", Agent: "echo"},
		{Tenant: "default", Owner: "tester", ContextID: "other", Agent: "echo"},
		{Tenant: "default", Owner: "tester", ContextID: "c", Agent: "other"},
	} {
		if got, err := s.AgentContext(t.Context(), other); got != "" || err != nil {
			t.Errorf("AgentContext(%+v) = %q, %v, want none", other, got, err)
		}
	}
}

// turns adds one message after the other, as a task of several turns does.
func turns(t *testing.T, s orchestrator.Store) {
	k := key(create(t, s, task("a")))
	for n := 1; n <= 3; n++ {
		want, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Turns = append(t.Turns[:n-1:n-1], orchestrator.Turn{
				Number: n, FromAgent: n%2 == 1, MessageID: t.TurnID(n), Time: epoch, Message: message("turn"),
			})
			return nil, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v", err)
		}
		got, err := s.Task(t.Context(), k)
		if err != nil || len(got.Turns) != n {
			t.Fatalf("Task() = %d turns, %v, want %d", len(got.Turns), err, n)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("Task() differs from what Update returned (-want +got):\n%s", diff)
		}
	}
	page, _, err := s.Tasks(t.Context(), "default", "", 10)
	if err != nil || len(page) != 1 || len(page[0].Turns) != 3 || page[0].Turns[0].Message != nil {
		t.Errorf("Tasks() = %+v, %v, want the turns without their messages", page, err)
	}
}

// part reads parts of a task. A store may read more.
func part(t *testing.T, s orchestrator.Store) {
	k := key(create(t, s, task("a")))
	want, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		t.StatusMessage, t.Artifacts = message("working"), []*a2apb.Artifact{artifact("1"), artifact("2")}
		t.Turns = []orchestrator.Turn{{Number: 1, FromAgent: true, Time: epoch, Message: message("turn")}}
		t.Gates = []orchestrator.Gate{{Phase: orchestrator.PhasePreCompletion, Digest: "d", CheckTime: epoch}}
		return nil, nil
	})
	if err != nil {
		t.Fatalf("Update() = %v", err)
	}
	for _, p := range []orchestrator.Part{{}, {Messages: true}, {Artifacts: true}, {Messages: true, Artifacts: true}} {
		got, err := s.TaskPart(t.Context(), k, p)
		if err != nil || len(got.Turns) != 1 || len(got.Artifacts) != 2 {
			t.Fatalf("TaskPart(%+v) = %d turns, %d artifacts, %v, want 1, 2", p, len(got.Turns), len(got.Artifacts), err)
		}
		if !p.Messages {
			got.Message, got.Turns = want.Message, want.Turns
		}
		if !p.Artifacts {
			got.Artifacts = want.Artifacts
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("TaskPart(%+v) differs (-want +got):\n%s", p, diff)
		}
	}
	if _, err := s.TaskPart(t.Context(), orchestrator.Key{Tenant: k.Tenant, ID: "none"}, orchestrator.Part{}); fault.ReasonOf(err) != "TASK_NOT_FOUND" {
		t.Errorf("TaskPart(none) = %v, want TASK_NOT_FOUND", err)
	}
}

// unpaid ends a task while a receiver of push notifications has still to be told.
func unpaid(t *testing.T, s orchestrator.Store) {
	k := key(create(t, s, task("a")))
	change := func(edit func(t *orchestrator.Task)) {
		t.Helper()
		if _, err := s.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			edit(t)
			return []orchestrator.Event{{Type: orchestrator.EventState}}, nil
		}); err != nil {
			t.Fatalf("Update() = %v", err)
		}
	}
	want := func(when string, n int) {
		t.Helper()
		if keys, err := s.Unfinished(t.Context(), 0, orchestrator.Key{}, 10); len(keys) != n || err != nil {
			t.Errorf("%s: Unfinished() = %v, %v, want %d", when, keys, err, n)
		}
	}
	change(func(t *orchestrator.Task) {
		t.State = a2apb.TaskState_TASK_STATE_COMPLETED
		t.Webhooks = []orchestrator.Webhook{{ID: "w", URL: "https://example.com", Token: "secret", Due: t.LastEvent + 1, Sent: t.LastEvent}}
	})
	want("ended and unpaid", 1)
	got, err := s.Task(t.Context(), k)
	if err != nil || len(got.Webhooks) != 1 || got.Webhooks[0].Token.Reveal() != "secret" {
		t.Errorf("Task() = webhooks %+v, %v, want the one with its token", got.Webhooks, err)
	}
	change(func(t *orchestrator.Task) {
		t.Webhooks = []orchestrator.Webhook{{ID: "w", URL: "https://example.com", Due: 2, Sent: 2}}
	})
	want("ended and paid", 0)
	change(func(t *orchestrator.Task) {
		t.Webhooks = []orchestrator.Webhook{{ID: "w", URL: "https://example.com", Due: 3, Sent: 2, GaveUp: "nobody answers"}}
	})
	want("ended and given up", 0)
}
