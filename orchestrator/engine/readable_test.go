package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAPartWithoutContentIsDropped has an agent end with such parts in an artifact and in its words. One with content of a newer version stays.
func TestAPartWithoutContentIsDropped(t *testing.T) {
	newer := &a2apb.Part{}
	newer.ProtoReflect().SetUnknown([]byte{0xa2, 0x06, 0x01, 'x'}) // field 100
	parts := func() []*a2apb.Part {
		return []*a2apb.Part{{MediaType: "text/plain"}, {Content: &a2apb.Part_Text{Text: "done"}}, newer, {}}
	}
	a := &actor{name: "agent"}
	a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		return say(snapshotOf(&a2apb.Task{
			Id: "r1", ContextId: "c", Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: parts()}},
			Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED, Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_AGENT, Parts: parts()}},
		}))
	}
	w := newWorld(t, a)
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	for what, got := range map[string][]*a2apb.Part{"artifact": task.Artifacts[0].GetParts(), "message": task.StatusMessage.GetParts()} {
		if len(got) != 2 || got[0].GetText() != "done" || len(got[1].ProtoReflect().GetUnknown()) == 0 {
			t.Errorf("the %s has the parts %v, want the text and the one of a newer version", what, got)
		}
	}
}

// TestAnArtifactWithoutAnIDGetsOne has an agent deliver two of them, the first in parts, and says whether the end repeats them. An update without an
// artifact is none.
func TestAnArtifactWithoutAnIDGetsOne(t *testing.T) {
	unnamed := func(words ...string) *a2apb.Artifact {
		x := &a2apb.Artifact{}
		for _, word := range words {
			x.Parts = append(x.Parts, &a2apb.Part{Content: &a2apb.Part_Text{Text: word}})
		}
		return x
	}
	for name, test := range map[string]struct {
		repeated []*a2apb.Artifact
		want     []string
	}{
		"in updates":                      {nil, []string{"unnamed"}},
		"beside one whose own id is that": {[]*a2apb.Artifact{unnamed("one", "two"), {ArtifactId: "unnamed"}, unnamed("three")}, []string{"unnamed-2", "unnamed", "unnamed-3"}},
		"in updates and a task":           {[]*a2apb.Artifact{unnamed("one", "two"), unnamed("three")}, []string{"unnamed", "unnamed-2"}},
	} {
		a := &actor{name: "agent"}
		a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
			deliver := func(x *a2apb.Artifact) error {
				return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{
					TaskId: "r1", ContextId: "c", Artifact: x, Append: true,
				}}})
			}
			end := &a2apb.Task{Id: "r1", ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}, Artifacts: test.repeated}
			return errors.Join(deliver(unnamed("one")), deliver(nil), deliver(unnamed("two")), say(snapshotOf(end)))
		}
		w := newWorld(t, a)
		task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
		var ids []string
		for _, x := range task.Artifacts {
			ids = append(ids, x.GetArtifactId())
		}
		if !slices.Equal(ids, test.want) || len(task.Artifacts[0].GetParts()) != 2 {
			t.Errorf("%s: the task has the artifacts %v, want %q, the first of two parts", name, task.Artifacts, test.want)
		}
	}
}
