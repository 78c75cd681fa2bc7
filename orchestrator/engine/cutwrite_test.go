package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// stalling is a store whose first write of the agent's id of a task takes until its caller gives up, and is not done then.
type stalling struct {
	orchestrator.Store
	begun   chan struct{} // closed when that write has begun
	stalled atomic.Bool
}

var errStalled = errors.New("the write takes long")

func (s *stalling) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	stalls := false
	t, err := s.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) { // may be called more than once
		events, err := change(t)
		if a := t.OpenAttempt(); err == nil && a != nil && a.RemoteTaskID != "" && !s.stalled.Swap(true) {
			stalls = true
		}
		if stalls {
			return nil, errStalled
		}
		return events, err
	})
	if !errors.Is(err, errStalled) {
		return t, err
	}
	close(s.begun)
	<-ctx.Done()
	return orchestrator.Task{}, context.Cause(ctx)
}

// TestAnExchangeThatEndsDuringAWriteLosesNothing ends an exchange while what the agent said is being written: the agent's task is known all the same.
func TestAnExchangeThatEndsDuringAWriteLosesNothing(t *testing.T) {
	t.Parallel()
	const remote = "remote"
	for name, test := range map[string]struct {
		lost     bool // the agent is, not the caller's patience
		state    a2apb.TaskState
		canceled []string
	}{
		"a caller cancels":      {false, a2apb.TaskState_TASK_STATE_CANCELED, []string{remote}},
		"the connection breaks": {true, a2apb.TaskState_TASK_STATE_COMPLETED, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &stalling{begun: make(chan struct{})}
			agent := &actor{name: "agent"}
			agent.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				agent.remember(remoteTask(remote, a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
				if err := say(snapshot(remote, a2apb.TaskState_TASK_STATE_WORKING, "on it")); err != nil {
					return err
				}
				<-store.begun
				if test.lost {
					return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the connection broke")
				}
				<-ctx.Done()
				return context.Cause(ctx)
			}
			w := newWorld(t, agent)
			w.before = func(s orchestrator.Store) orchestrator.Store {
				store.Store = s
				return store
			}
			w.restart()
			k := orchestrator.Key{Tenant: tenant, ID: w.submit(engine.Submission{Route: orchestrator.Route{Agent: agent.name}}).ID}
			<-store.begun
			if !test.lost {
				if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
					t.Fatalf("Cancel() = %v", err)
				}
			}
			ended, log := w.awaitEnd(k.ID)
			if ended.State != test.state || len(agent.sends()) != 1 {
				t.Errorf("the task ended in state %s (%+v) after %d messages, want %s after one; log %v", ended.State, ended.Error, len(agent.sends()), test.state, log)
			}
			agent.mu.Lock()
			defer agent.mu.Unlock()
			if !slices.Equal(agent.canceled, test.canceled) {
				t.Errorf("the agent was told to cancel %q, want %q", agent.canceled, test.canceled)
			}
		})
	}
}
