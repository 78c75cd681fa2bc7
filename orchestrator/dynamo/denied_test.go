package dynamo_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/dynamotest"
)

// Each operation on tasks begins with a store that remembers nothing.
func TestWhatDynamoDBRefusesIsAnError(t *testing.T) {
	t.Parallel()
	var deny dynamotest.Denier
	db, now, n := tables(t, &deny), epoch, 0
	fresh := func() *dynamo.Store {
		return dynamo.New(db, dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	}
	task := create(t, fresh(), "a", epoch)
	k := orchestrator.ContextKey{Tenant: "default", Owner: "ann", ContextID: "c", Agent: "echo"}
	if err := fresh().SetAgentContext(t.Context(), k, "1"); err != nil {
		t.Fatalf("SetAgentContext() = %v, want no error", err)
	}
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"Create": func() error {
			n++
			_, _, err := fresh().Create(ctx, orchestrator.Task{Tenant: "default", ID: strconv.Itoa(n), CreateTime: epoch, Deadline: epoch}, orchestrator.Event{})
			return err
		},
		"Task":     func() error { _, err := fresh().Task(ctx, key("a")); return err },
		"TaskPart": func() error { _, err := fresh().TaskPart(ctx, key("a"), orchestrator.Part{}); return err },
		"Update": func() error {
			_, err := fresh().Update(ctx, key("a"), func(task *orchestrator.Task) ([]orchestrator.Event, error) {
				task.StatusMessage = &a2apb.Message{MessageId: "status"}
				return []orchestrator.Event{{Type: orchestrator.EventProgress}}, nil
			})
			return err
		},
		"Events":          func() error { _, err := fresh().Events(ctx, key("a"), 0, 10); return err },
		"Tasks":           func() error { _, _, err := fresh().Tasks(ctx, "default", "", 10); return err },
		"Unfinished":      func() error { _, err := fresh().Unfinished(ctx, task.Shard, orchestrator.Key{}, 10); return err },
		"SetAgentContext": func() error { return fresh().SetAgentContext(ctx, k, "1") },
		"AgentContext": func() error {
			now = now.Add(orchestrator.ContextLife - time.Hour) // it has to be renewed
			_, err := fresh().AgentContext(ctx, k)
			now = epoch
			return err
		},
	} {
		deny.Each(t, name, do)
	}
}

func TestWhatDynamoDBRefusesOfLeasesIsAnError(t *testing.T) {
	t.Parallel()
	var deny dynamotest.Denier
	s, ctx := dynamo.NewLeases(tables(t, &deny)), t.Context()
	if err := s.Beat(ctx, orchestrator.Node{ID: "node", Beats: 1}); err != nil {
		t.Fatalf("Beat() = %v, want no error", err)
	}
	lease, err := s.Take(ctx, 1, "node", 0)
	if err != nil {
		t.Fatalf("Take() = %v, want no error", err)
	}
	group := 1
	for name, do := range map[string]func() error{
		"Beat":    func() error { return s.Beat(ctx, orchestrator.Node{ID: "node", Beats: 2}) },
		"Nodes":   func() error { _, err := s.Nodes(ctx); return err },
		"Leave":   func() error { return s.Leave(ctx, "another") },
		"Leases":  func() error { _, err := s.Leases(ctx); return err },
		"Take":    func() error { group++; _, err := s.Take(ctx, group, "node", 0); return err },
		"Release": func() error { return s.Release(ctx, lease) },
		"Post":    func() error { return s.Post(ctx, "node", key("b")) },
	} {
		deny.Each(t, name, do)
	}
	deny.Each(t, "Collect", func() error { _, err := s.Collect(ctx, "node", 10); return err })
}
