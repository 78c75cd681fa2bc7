package engine_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAnAgentWhoseWorkNobodyTakesIsToldToStop has agents say more than a task takes.
func TestAnAgentWhoseWorkNobodyTakesIsToldToStop(t *testing.T) {
	t.Parallel()
	working, asks, done := a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, a2apb.TaskState_TASK_STATE_COMPLETED
	large := strings.Repeat("x", 5<<20)
	for name, test := range map[string]struct {
		says   *a2apb.StreamResponse
		reason string
		told   bool
	}{
		"it delivers too much and goes on":   {snapshot("r1", working, "", large), "ARTIFACTS_TOO_LARGE", true},
		"it asks too much":                   {snapshot("r1", asks, large), "QUESTION_TOO_LARGE", true},
		"it delivers too much and has ended": {snapshot("r1", done, "", large), "ARTIFACTS_TOO_LARGE", false},
		"it answers too much without a task": {&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: text(large)}}, "ARTIFACTS_TOO_LARGE", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent", play: func(ctx context.Context, _ *a2apb.Message, say agentclient.Each) error {
				if err := say(test.says); err != nil {
					return err
				}
				<-ctx.Done()
				return ctx.Err()
			}}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.Error == nil || task.Error.Reason != test.reason {
				t.Errorf("state %s (%+v), want %s; log %v", task.State, task.Error, test.reason, log)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			if told := slices.Equal(a.canceled, []string{"r1"}); told != test.told || !told && len(a.canceled) > 0 {
				t.Errorf("the agent was told to stop %q, want that %t", a.canceled, test.told)
			}
			if noted := slices.ContainsFunc(log, func(e orchestrator.Event) bool { return e.Detail == "the agent stopped its task" }); noted != test.told {
				t.Errorf("the log is %v, want it to say that the agent stopped: %t", log, test.told)
			}
		})
	}
}

// TestAStreamThatIsTakenUpIsRefusedLikeAnyOther has the connection break, and the agent say more than a task takes, or what none takes, in the stream of the rest.
func TestAStreamThatIsTakenUpIsRefusedLikeAnyOther(t *testing.T) {
	t.Parallel()
	working, done := a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_COMPLETED
	large := &a2apb.Artifact{ArtifactId: "a", Parts: text(strings.Repeat("x", 5<<20)).GetParts()}
	notJSON := &a2apb.Artifact{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: structpb.NewNumberValue(math.NaN())}}}}
	delivers := func(a *a2apb.Artifact) *a2apb.StreamResponse {
		return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Artifact: a}}}
	}
	ends := &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{
		StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r1", Status: &a2apb.TaskStatus{State: done}},
	}}
	for name, test := range map[string]struct {
		says   *a2apb.StreamResponse
		final  *a2apb.Task // as the agent has it then
		reason string
	}{
		"it delivers too much":                {delivers(large), remoteTask("r1", done, ""), "ARTIFACTS_TOO_LARGE"},
		"it delivers what JSON does not have": {delivers(notJSON), remoteTask("r1", done, ""), agentclient.ReasonAnswerInvalid},
		"it has delivered too much before":    {ends, withArtifacts(remoteTask("r1", done, ""), large), "ARTIFACTS_TOO_LARGE"},
		"it has delivered that before":        {ends, withArtifacts(remoteTask("r1", done, ""), notJSON), agentclient.ReasonAnswerInvalid},
		"it has said that of its task before": {ends, &a2apb.Task{Id: "r1", Status: &a2apb.TaskStatus{State: done}, Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewNumberValue(math.NaN())}}}, agentclient.ReasonAnswerInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent"}
			a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				a.remember(remoteTask("r1", working, ""))
				if err := say(snapshot("r1", working, "")); err != nil {
					return err
				}
				return errCut
			}
			a.follow = func(say agentclient.Each) error {
				a.remember(test.final)
				return say(test.says)
			}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.Error == nil || task.Error.Reason != test.reason || len(task.Artifacts) > 0 {
				t.Errorf("state %s (%+v) with %d artifacts, want %s without any; log %v", task.State, task.Error, len(task.Artifacts), test.reason, log)
			}
		})
	}
}
