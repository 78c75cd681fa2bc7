package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestACanceledTaskKeepsWhatWasDelivered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rules []agentcard.ConsultationRequirement
		kept  int
	}{
		"freely":                      {nil, 1},
		"unless it is to be reviewed": {[]agentcard.ConsultationRequirement{{ID: "review", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			delivered := make(chan struct{})
			w := newWorld(t, &actor{name: "agent", requirements: test.rules, play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "half")); err != nil {
					return err
				}
				close(delivered)
				<-ctx.Done()
				return context.Cause(ctx)
			}})
			id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
			<-delivered
			if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			task, log := w.awaitEnd(id)
			if task.State != a2apb.TaskState_TASK_STATE_CANCELED || len(task.Artifacts) != test.kept {
				t.Errorf("state %s with artifacts %v, want canceled with %d; log %v", task.State, task.Artifacts, test.kept, log)
			}
			if said := slices.ContainsFunc(log, keepsOf("agent")); said != (test.kept > 0) {
				t.Errorf("the log says that something is kept: %t; log %v", said, log)
			}
		})
	}
}

// TestACanceledTaskKeepsTheResultThatWasHeard cancels a task between the end of the agent's task and that of its answer.
func TestACanceledTaskKeepsTheResultThatWasHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, &actor{name: "lingers", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
			err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "whole"))
			<-ctx.Done()
			return err
		}})
		s.start()
		k := s.accept("lingers", "r")
		synctest.Wait()
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(time.Second)
		s.stop()
		if task, err := s.store.Task(t.Context(), k); err != nil || task.State != a2apb.TaskState_TASK_STATE_CANCELED || len(task.Artifacts) != 1 {
			t.Errorf("Task() = state %s with artifacts %v, %v, want canceled with what was heard", task.State, task.Artifacts, err)
		}
		if log, err := s.store.Events(t.Context(), k, 0, 100); err != nil || !slices.ContainsFunc(log, keepsOf("lingers")) {
			t.Errorf("Events() = %v, %v, want one that says what is kept", log, err)
		}
	})
}

func TestATaskThatRunsOutOfTimeKeepsWhatWasDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := &breaking{worker: newWorker()}
		agent.shows = func(time.Duration) (*a2apb.Task, error) {
			return remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "on it"), nil
		}
		s := &simulation{t: t, store: &storetest.Memory{}, worker: agent.worker, client: agent}
		s.start()
		<-time.After(time.Second)
		k := s.submit("r")
		<-time.After(orchestrator.DefaultDeadline + time.Minute)
		s.stop()
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.Error == nil || task.Error.Reason != "DEADLINE_EXCEEDED" || len(task.Artifacts) != 1 {
			t.Fatalf("Task() = state %s (%+v) with artifacts %v, %v, want one that ran out of time with what was delivered", task.State, task.Error, task.Artifacts, err)
		}
		if !strings.HasSuffix(task.Error.Message, "; worker had taken it, and had not ended it") {
			t.Errorf("the task ended since %q, want the agent's part in it", task.Error.Message)
		}
		if log, err := s.store.Events(t.Context(), k, 0, 100); err != nil || !slices.ContainsFunc(log, keepsOf("worker")) {
			t.Errorf("Events() = %v, %v, want one that says what is kept", log, err)
		}
	})
}

// keepsOf finds the event that says that something of an agent is kept.
func keepsOf(agent string) func(orchestrator.Event) bool {
	return func(e orchestrator.Event) bool { return e.Detail == "kept what "+agent+" had delivered; artifacts: 1" }
}
