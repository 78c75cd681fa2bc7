package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
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

// describes plays an agent that says something of its whole task, at first and at its end.
func describes(content string) func(context.Context, *a2apb.Message, agentclient.Each) error {
	return func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		begun := snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "", content)
		begun.GetTask().Metadata = beside("model", "m1")
		begun.GetTask().Metadata.Fields[orchestrator.TaskExtension] = beside("agent", "another Quorate's").GetFields()["agent"]
		if err := say(begun); err != nil {
			return err
		}
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}, Metadata: beside("tokens", "7"),
		}}})
	}
}

// TestWhatAnAgentSaysOfItsTaskIsKept looks at it after a restart.
func TestWhatAnAgentSaysOfItsTaskIsKept(t *testing.T) {
	w := newWorld(t, &actor{name: "agent", play: describes("x")})
	task, _ := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
	w.restart()
	want := map[string]any{"model": "m1", "tokens": "7"}
	if diff := cmp.Diff(want, w.task(task.ID).Metadata.AsMap()); diff != "" {
		t.Errorf("the task's metadata (-want +got):\n%s", diff)
	}
}

// TestWhatIsSaidOfATaskIsReviewed has a reviewer see it, and approve of the task with it.
func TestWhatIsSaidOfATaskIsReviewed(t *testing.T) {
	var w *world
	reviewer := reviews(&w, "approved", "fine", true)
	w = newWorld(t, &actor{name: "web", play: describes("the page"), requirements: requirement("pre-completion")}, reviewer)
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if !task.Blocked() || task.Metadata == nil || task.Digest(orchestrator.PhasePreCompletion) == orchestrator.ArtifactsDigest(task.Artifacts) {
		t.Fatalf("state %s with the metadata %v, want it blocked, and a digest of more than the artifacts", task.State, task.Metadata)
	}
	if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Metadata == nil {
		t.Errorf("state %s (%v) with the metadata %v, want it completed with it", task.State, task.Error, task.Metadata)
	}
	parts := reviewer.sends()[0].GetParts()
	if said := parts[len(parts)-1].GetData().GetStructValue().AsMap(); cmp.Diff(said, map[string]any{"task": map[string]any{"metadata": map[string]any{"model": "m1", "tokens": "7"}}}) != "" {
		t.Errorf("the last part that the reviewer got is %v, want the task's metadata", said)
	}
}

// TestAReviewBeforeTheDeliveryIsNotVoid has an agent ask for a review of its artifacts, and deliver them in a task with metadata of which it said
// nothing.
func TestAReviewBeforeTheDeliveryIsNotVoid(t *testing.T) {
	var w *world
	web := &actor{name: "web", requirements: requirement("pre-completion")}
	web.play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		id := m.GetMetadata().AsMap()[extension].(map[string]any)["taskId"].(string)
		if _, err := w.engine.Consult(ctx, tenant, id, "r", remoteTask("", 0, "", "the page").GetArtifacts(), consultation.Request{}); err != nil {
			return err
		}
		return describes("the page")(ctx, m, say)
	}
	w = newWorld(t, web, reviews(&w, "approved", "fine", true))
	task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || task.Metadata != nil || len(task.Artifacts) != 1 {
		t.Errorf("state %s (%v) with the metadata %v, want what was reviewed completed, and no more", task.State, task.Error, task.Metadata)
	}
	told := false
	for _, e := range log {
		told = told || e.Type == orchestrator.EventDelivered && strings.Contains(e.Detail, "left out")
	}
	if !told {
		t.Errorf("the log %v does not say what was left out", log)
	}
}

func TestWhatTheLastOfAChainSaysOfItsTaskIsKept(t *testing.T) {
	list := threeInAChain()
	for i, name := range []string{"one", "two", "three"} {
		play := list[i].play
		list[i].play = func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
			return play(ctx, m, func(r *a2apb.StreamResponse) error {
				r.GetTask().Metadata = beside("name", name)
				return say(r)
			})
		}
	}
	w := newWorld(t, list...)
	task, _ := w.awaitEnd(w.submit(chained()).ID)
	if got := task.Metadata.AsMap(); len(got) != 1 || got["name"] != "three" {
		t.Errorf("the chain's metadata is %v, want that of its last agent", got)
	}
}

// TestIDsCarryNothingPastAReview has an agent put into the ids of its artifacts what it puts nowhere else.
func TestIDsCarryNothingPastAReview(t *testing.T) {
	play := func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		done := snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "one", "two")
		for i, a := range done.GetTask().GetArtifacts() {
			a.ArtifactId = []string{"xyzzy", "page.md"}[i]
		}
		done.GetTask().GetArtifacts()[1].Name = "page.md"
		return say(done)
	}
	var w *world
	w = newWorld(t, &actor{name: "web", play: play, requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	for name, test := range map[string]struct {
		attributes consultation.Attributes
		want       []string
	}{"a review": {sensitive, []string{"artifact-1", "page.md"}}, "no review": {nil, []string{"xyzzy", "page.md"}}} {
		task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: test.attributes}).ID)
		if test.attributes != nil {
			consult(t, w, task.ID)
			task, _ = w.awaitEnd(task.ID)
		}
		var got []string
		for _, a := range task.Artifacts {
			got = append(got, a.GetArtifactId())
		}
		if diff := cmp.Diff(test.want, got); diff != "" || task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("state %s; ids of artifacts with %s (-want +got):\n%s", task.State, name, diff)
		}
	}
}

// TestADraftIsShownWithTheQuestionAboutIt has an agent ask what to do with what it has made so far, and go on by itself. What it made waits behind a
// review.
func TestADraftIsShownWithTheQuestionAboutIt(t *testing.T) {
	goOn := make(chan struct{})
	play := func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
		asks := snapshot("r1", a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "is it right?", "a draft")
		asks.GetTask().Metadata = beside("model", "m1")
		more := &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Append: true, Artifact: remoteTask("", 0, "", ", and more").GetArtifacts()[0]}
		if err := say(asks); err != nil {
			return err
		}
		<-goOn
		if err := say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: more}}); err != nil {
			return err
		}
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: "r1", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}, Metadata: beside("tokens", "7"),
		}}})
	}
	w := newWorld(t, &actor{name: "web", play: play, requirements: requirement("pre-completion")})
	submit := func(a consultation.Attributes) orchestrator.Task {
		task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: a}).ID)
		return task
	}
	guarded, task := submit(sensitive), submit(nil)
	if !guarded.AwaitsCaller() || guarded.Artifacts != nil || guarded.Metadata != nil {
		t.Errorf("state %s with the artifacts %v, want what was made kept back by the review", guarded.State, guarded.Artifacts)
	}
	draft := func() string {
		return fmt.Sprint(len(task.Artifacts), task.Artifacts[0].GetParts(), task.Metadata.AsMap())
	}
	if !task.AwaitsCaller() || len(task.Artifacts) != 1 || task.Metadata.AsMap()["model"] != "m1" {
		t.Fatalf("state %s with the artifacts %v and the metadata %v, want the draft", task.State, task.Artifacts, task.Metadata)
	}
	before := draft()
	close(goOn)
	ended, _ := w.awaitEnd(task.ID)
	if len(ended.Artifacts) != 1 || len(ended.Artifacts[0].GetParts()) != 2 || len(ended.Metadata.AsMap()) != 2 {
		t.Errorf("delivered %v with the metadata %v, want the whole", ended.Artifacts, ended.Metadata)
	}
	if after := draft(); after != before {
		t.Errorf("what was read before has become %s, want %s", after, before)
	}
}
