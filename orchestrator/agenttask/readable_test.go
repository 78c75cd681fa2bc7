package agenttask_test

import (
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agenttask"
)

// text returns parts with a text each.
func text(words ...string) (parts []*a2apb.Part) {
	for _, word := range words {
		parts = append(parts, &a2apb.Part{Content: &a2apb.Part_Text{Text: word}})
	}
	return parts
}

// apply applies responses that must be taken.
func apply(t *testing.T, responses ...*a2apb.StreamResponse) (h agenttask.Task) {
	t.Helper()
	for _, r := range responses {
		if _, err := h.Apply(r); err != nil {
			t.Fatalf("Apply(%v) = %v", r, err)
		}
	}
	return h
}

// TestAPartWithoutContentIsDropped has an agent end with such parts in an artifact and in its words. One with content of a newer version stays.
func TestAPartWithoutContentIsDropped(t *testing.T) {
	t.Parallel()
	newer := &a2apb.Part{}
	newer.ProtoReflect().SetUnknown([]byte{0xa2, 0x06, 0x01, 'x'}) // field 100
	parts := func() []*a2apb.Part {
		return []*a2apb.Part{{MediaType: "text/plain"}, {Content: &a2apb.Part_Text{Text: "done"}}, newer, {}}
	}
	h := apply(t, agenttask.Snapshot(&a2apb.Task{
		Id: "r1", ContextId: "c", Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: parts()}},
		Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED, Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_AGENT, Parts: parts()}},
	}))
	for what, got := range map[string][]*a2apb.Part{"artifact": h.Artifacts[0].GetParts(), "message": h.Status.GetParts()} {
		if len(got) != 2 || got[0].GetText() != "done" || len(got[1].ProtoReflect().GetUnknown()) == 0 {
			t.Errorf("the %s has the parts %v, want the text and the one of a newer version", what, got)
		}
	}
}

// TestAnArtifactWithoutAnIDGetsOne has an agent deliver two of them, the first in parts, and says whether the end repeats them. An update without an
// artifact is none.
func TestAnArtifactWithoutAnIDGetsOne(t *testing.T) {
	t.Parallel()
	unnamed := func(words ...string) *a2apb.Artifact { return &a2apb.Artifact{Parts: text(words...)} }
	deliver := func(x *a2apb.Artifact) *a2apb.StreamResponse {
		return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &a2apb.TaskArtifactUpdateEvent{
			TaskId: "r1", ContextId: "c", Artifact: x, Append: true,
		}}}
	}
	for name, test := range map[string]struct {
		repeated []*a2apb.Artifact
		want     []string
	}{
		"in updates":                      {nil, []string{"unnamed"}},
		"beside one whose own id is that": {[]*a2apb.Artifact{unnamed("one", "two"), {ArtifactId: "unnamed"}, unnamed("three")}, []string{"unnamed-2", "unnamed", "unnamed-3"}},
		"in updates and a task":           {[]*a2apb.Artifact{unnamed("one", "two"), unnamed("three")}, []string{"unnamed", "unnamed-2"}},
	} {
		end := &a2apb.Task{Id: "r1", ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}, Artifacts: test.repeated}
		h := apply(t, deliver(unnamed("one")), deliver(nil), deliver(unnamed("two")), agenttask.Snapshot(end))
		var ids []string
		for _, x := range h.Artifacts {
			ids = append(ids, x.GetArtifactId())
		}
		if !slices.Equal(ids, test.want) || len(h.Artifacts[0].GetParts()) != 2 {
			t.Errorf("%s: the task has the artifacts %v, want %q, the first of two parts", name, h.Artifacts, test.want)
		}
	}
}
