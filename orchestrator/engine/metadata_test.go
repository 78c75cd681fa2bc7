package engine_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestWhatIsSaidBesideThePartsIsKept has agents put metadata and an extension beside a message that is their answer, and beside pieces of an artifact.
func TestWhatIsSaidBesideThePartsIsKept(t *testing.T) {
	piece := func(more bool, key, value string) *a2apb.StreamResponse {
		return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{
			TaskId: "r1", Append: more,
			Artifact: &a2apb.Artifact{ArtifactId: "a", Parts: text("x").GetParts(), Metadata: beside(key, value), Extensions: []string{"urn:usage"}},
		}}}
	}
	answer := text("done")
	answer.Metadata, answer.Extensions = beside("model", "m1"), []string{"urn:usage"}
	for name, test := range map[string]struct {
		says []*a2apb.StreamResponse
		want map[string]any
	}{
		"a message": {[]*a2apb.StreamResponse{{Payload: &a2apb.StreamResponse_Message{Message: answer}}}, map[string]any{"model": "m1"}},
		"pieces": {[]*a2apb.StreamResponse{
			piece(false, "model", "m1"), piece(true, "tokens", "7"),
			{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}}}},
		}, map[string]any{"model": "m1", "tokens": "7"}},
		"a piece behind one that says nothing": {[]*a2apb.StreamResponse{
			{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Artifact: &a2apb.Artifact{ArtifactId: "a", Extensions: []string{"urn:usage"}}}}},
			piece(true, "tokens", "7"),
			{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}}}},
		}, map[string]any{"tokens": "7"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, &actor{name: "agent", play: func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				for _, r := range test.says {
					if err := say(r); err != nil {
						return err
					}
				}
				return nil
			}})
			task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if len(task.Artifacts) != 1 {
				t.Fatalf("the task has %d artifacts, want one", len(task.Artifacts))
			}
			a := task.Artifacts[0]
			if got := a.GetMetadata().AsMap(); !maps.Equal(got, test.want) || !slices.Equal(a.GetExtensions(), []string{"urn:usage"}) {
				t.Errorf("metadata %v and extensions %v, want %v and urn:usage", got, a.GetExtensions(), test.want)
			}
		})
	}
}

func beside(key, value string) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{key: structpb.NewStringValue(value)}}
}

// TestWhatIsSaidToQuorateIsNotToldToAgents has a chain's task submitted as over A2A, where route and inputs stand in the message's metadata: an agent gets
// the inputs that it takes, and nothing that is addressed to Quorate.
func TestWhatIsSaidToQuorateIsNotToldToAgents(t *testing.T) {
	list := threeInAChain()
	w, s := newWorld(t, list...), chained()
	s.Message = text("do it")
	s.Message.Metadata = beside("note", "one")
	s.Message.Metadata.Fields[orchestrator.TaskExtension] = structpb.NewStructValue(beside("inputs", "a shop"))
	task, _ := w.awaitEnd(w.submit(s).ID)
	for _, a := range list {
		for _, m := range a.sends() {
			if got := m.GetMetadata().AsMap(); got["note"] != "one" || got[orchestrator.TaskExtension] != nil {
				t.Errorf("%s got the metadata %v, want the note, and nothing that is for Quorate", a.name, got)
			}
		}
	}
	if task.Message.GetMetadata().GetFields()[orchestrator.TaskExtension] == nil {
		t.Errorf("the task's message has the metadata %v, want it as it was submitted", task.Message.GetMetadata())
	}
}
