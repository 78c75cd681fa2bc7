package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// TestNothingIsMissingOfWhatAnAgentDeliversWhileNobodyListens has the connection break, and the agent add to what it delivers between the question
// how its task stands and the stream of what follows.
func TestNothingIsMissingOfWhatAnAgentDeliversWhileNobodyListens(t *testing.T) {
	t.Parallel()
	working, completed := a2apb.TaskState_TASK_STATE_WORKING, a2apb.TaskState_TASK_STATE_COMPLETED
	for name, test := range map[string]struct {
		first *a2apb.StreamResponse // of the stream that is taken up; nil: what follows
		final *a2apb.Task           // as the agent has it in the end
		want  string
	}{
		"the stream begins with what follows":   {nil, withArtifacts(remoteTask("r1", completed, ""), chunks("one", "two", "three")), "one two three"},
		"the stream begins with the whole task": {snapshotOf(withArtifacts(remoteTask("r1", working, ""), chunks("one", "two"))), remoteTask("r1", completed, ""), "one two three"},
		"it does, as the task was before": {
			snapshotOf(withArtifacts(remoteTask("r1", working, ""), chunks("one"))), withArtifacts(remoteTask("r1", completed, ""), chunks("one", "two", "three")), "one two three",
		},
		"it does, with some of what follows": {
			snapshotOf(withArtifacts(remoteTask("r1", working, ""), chunks("one", "two", "three"))), withArtifacts(remoteTask("r1", completed, ""), chunks("one", "two", "three")), "one two three",
		},
		"the agent is slow to note what it says": {
			snapshotOf(withArtifacts(remoteTask("r1", working, ""), chunks("one", "two"))), withArtifacts(remoteTask("r1", working, ""), chunks("one")), "one two three",
		},
		"the agent keeps nothing": {nil, remoteTask("r1", completed, ""), "one three"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent"}
			a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				a.remember(withArtifacts(remoteTask("r1", working, ""), chunks("one")))
				if err := say(snapshot("r1", working, "")); err != nil {
					return err
				}
				return fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "the connection broke")
			}
			a.follow = func(say agentclient.Each) error {
				if test.first != nil {
					if err := say(test.first); err != nil {
						return err
					}
				}
				if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{
					ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Artifact: chunks("three"), Append: true},
				}}); err != nil {
					return err
				}
				a.remember(test.final)
				return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{
					StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r1", Status: &a2apb.TaskStatus{State: completed}},
				}})
			}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.State != completed || len(task.Artifacts) != 1 {
				t.Fatalf("state %s with %d artifacts, want completed with one; log %v", task.State, len(task.Artifacts), log)
			}
			var got []string
			for _, p := range task.Artifacts[0].GetParts() {
				got = append(got, p.GetText())
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("delivered %q, want %q", text, test.want)
			}
		})
	}
}
