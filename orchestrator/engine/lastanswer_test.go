package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestACanceledTaskKeepsWhatTheAgentAnswers has an agent answer a request to stop with more than it was asked for before, with another task, and with what
// no task takes.
func TestACanceledTaskKeepsWhatTheAgentAnswers(t *testing.T) {
	t.Parallel()
	review := []agentcard.ConsultationRequirement{{ID: "review", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}
	large := strings.Repeat("x", orchestrator.MaxTaskBytes-1<<10)
	for name, test := range map[string]struct {
		rules  []agentcard.ConsultationRequirement
		answer *a2apb.Task
		want   []string
	}{
		"it stopped":                        {nil, remoteTask("r1", a2apb.TaskState_TASK_STATE_CANCELED, "", "half and more"), []string{"half and more"}},
		"it is about to stop":               {nil, remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "half and more"), []string{"half and more"}},
		"it says nothing of its work":       {nil, remoteTask("r1", a2apb.TaskState_TASK_STATE_CANCELED, ""), []string{"half"}},
		"it answers with another task":      {nil, remoteTask("r2", a2apb.TaskState_TASK_STATE_CANCELED, "", "half and more"), []string{"half"}},
		"it answers with much":              {nil, remoteTask("r1", a2apb.TaskState_TASK_STATE_CANCELED, "", large), []string{large}},
		"it answers with more than allowed": {nil, remoteTask("r1", a2apb.TaskState_TASK_STATE_CANCELED, "", large+large), []string{"half"}},
		"a review stands before that":       {review, remoteTask("r1", a2apb.TaskState_TASK_STATE_CANCELED, "", "half and more"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, delivered := &actor{name: "agent", requirements: test.rules}, make(chan struct{})
			agent.play = func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "half")); err != nil {
					return err
				}
				agent.confuse("r1", test.answer)
				close(delivered)
				<-ctx.Done()
				return context.Cause(ctx)
			}
			w := newWorld(t, agent)
			id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID
			<-delivered
			if _, err := w.engine.Cancel(t.Context(), engine.Cancellation{Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester"}); err != nil {
				t.Fatalf("Cancel() = %v", err)
			}
			task, log := w.awaitEnd(id)
			var kept []string
			for _, a := range task.Artifacts {
				kept = append(kept, a.GetParts()[0].GetText())
			}
			if task.State != a2apb.TaskState_TASK_STATE_CANCELED || !slices.Equal(kept, test.want) {
				t.Errorf("state %s with artifacts %.40q, want canceled with %.40q; log %v", task.State, kept, test.want, log)
			}
		})
	}
}

// finished is an agent that refuses to stop a task, since it has ended.
type finished struct{ *actor }

func (finished) Cancel(context.Context, string, *structpb.Struct) (*a2apb.Task, error) {
	return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "the task has ended")
}

// TestACanceledTaskKeepsWhatTheAgentHadDoneWithoutBeingAsked cancels a task that its agent has done since it was asked for it.
func TestACanceledTaskKeepsWhatTheAgentHadDoneWithoutBeingAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := &actor{name: "agent", announces: true}
		agent.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			working := remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, "", "half")
			agent.remember(working)
			return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: working}})
		}
		s := newStage(t, agent)
		s.client = finished{agent}
		s.start()
		defer s.stop()
		k := s.accept("agent", "r")
		<-time.After(10*time.Minute + time.Second) // it is asked for the task every half a minute
		agent.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "whole"))
		if _, err := s.engine.Cancel(t.Context(), engine.Cancellation{Key: k, Caller: "tester"}); err != nil {
			t.Fatalf("Cancel() = %v", err)
		}
		<-time.After(time.Second)
		task, err := s.store.Task(t.Context(), k)
		if err != nil || task.State != a2apb.TaskState_TASK_STATE_CANCELED || len(task.Artifacts) != 1 || task.Artifacts[0].GetParts()[0].GetText() != "whole" {
			t.Errorf("Task() = state %s with artifacts %v, %v, want canceled with the whole", task.State, task.Artifacts, err)
		}
	})
}
