package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAnArtifactThatIsSentAnewReplacesTheOldOne has an agent send three drafts of one artifact, of which a task has room for one.
func TestAnArtifactThatIsSentAnewReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		for _, draft := range []string{"first ", "second ", "third "} {
			if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{
				TaskId: "r1", Artifact: remoteTask("", 0, "", draft+strings.Repeat("x", orchestrator.MaxTaskBytes/2)).GetArtifacts()[0],
			}}}); err != nil {
				return err
			}
		}
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED},
		}}})
	}})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.Artifacts) != 1 || !strings.HasPrefix(task.Artifacts[0].GetParts()[0].GetText(), "third ") {
		t.Errorf("state %s (%+v) with %d artifacts, want completed with the third draft", task.State, task.Error, len(task.Artifacts))
	}
}
