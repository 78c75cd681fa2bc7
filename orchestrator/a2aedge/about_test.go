package a2aedge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// describer is a hand-made agent that says something of its whole task.
type describer struct {
	a2apb.UnimplementedA2AServiceServer
}

func (describer) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{
		Id: "remote", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED},
		Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "done"}}}}},
		Metadata:  &structpb.Struct{Fields: map[string]*structpb.Value{"model": structpb.NewStringValue("xyzzy")}},
	}}})
}

// TestACallerGetsWhatAnAgentSaysOfItsTask sends, streams, gets and lists over each binding, and in 0.3.
func TestACallerGetsWhatAnAgentSaysOfItsTask(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "describer", describer{})
	wantBoth := func(what string, metadata map[string]any) {
		t.Helper()
		if metadata["model"] != "xyzzy" || metadata[taskExtension] == nil {
			t.Errorf("%s has the metadata %v, want the agent's and Quorate's", what, metadata)
		}
	}
	for _, binding := range bindings {
		c := w.client(t, "/agents/describer", binding)
		task := send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil)})
		wantBoth("the answer over "+string(binding), task.Metadata)
		events := collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("x", nil)}))
		switch last := events[len(events)-1].(type) {
		case *a2a.TaskStatusUpdateEvent:
			wantBoth("the last update over "+string(binding), last.Metadata)
		case *a2a.Task:
			wantBoth("the stream's task over "+string(binding), last.Metadata)
		}
		got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
		if err != nil {
			t.Fatal(err)
		}
		wantBoth("GetTask() over "+string(binding), got.Metadata)
		list, err := c.ListTasks(w.ctx, &a2a.ListTasksRequest{PageSize: 1})
		if err != nil || len(list.Tasks) == 0 {
			t.Fatalf("ListTasks() = %v, %v, want the tasks", list, err)
		}
		wantBoth("ListTasks() over "+string(binding), list.Tasks[0].Metadata)
	}
	sent := w.legacy(t, "/agents/describer", "message/send", `{"message":`+legacyMessage("x", "")+`}`)
	if result, _ := sent.object(t)["result"].(map[string]any); result != nil {
		metadata, _ := result["metadata"].(map[string]any)
		wantBoth("the answer in 0.3", metadata)
	} else {
		t.Errorf("message/send = %s, want a task", sent.body)
	}
}

// TestWhatAnAgentSaysOfItsTaskWaitsBehindTheGate looks everywhere for it before the review, and for it and what the reviewer saw afterwards.
func TestWhatAnAgentSaysOfItsTaskWaitsBehindTheGate(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "describer", describer{})
	rules := `{"consultationRequirements":[{"id":"review","targetAgent":"reviewer","phase":"pre-completion","mandatory":true}]}`
	if got := w.call(t, "PATCH", "/v1/agents/describer/metadata", rules, nil); got.code != 200 {
		t.Fatalf("PATCH = %d %s", got.code, got.body)
	}
	c := w.client(t, "/agents/describer", bindings[0])
	task := send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil)})
	if task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("state %s, want it to wait", task.Status.State)
	}
	places := []string{"/v1/tasks/" + string(task.ID), "/v1/tasks", "/agents/describer/tasks/" + string(task.ID), "/agents/describer/tasks?includeArtifacts=true"}
	for _, path := range places {
		if got := w.call(t, "GET", path, "", nil); got.code != 200 || strings.Contains(got.body, "xyzzy") {
			t.Errorf("GET %s before the review = %d %s, want nothing that is held back", path, got.code, got.body)
		}
	}
	w.consult(t, task.ID)
	for _, err := range c.SubscribeToTask(w.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			break // it may have ended already
		}
	}
	for _, path := range slices.Delete(places, 1, 2) { // the task API's list shows no content
		if got := w.call(t, "GET", path, "", nil); got.code != 200 || !strings.Contains(got.body, "xyzzy") {
			t.Errorf("GET %s after the review = %d %s, want what the agent said", path, got.code, got.body)
		}
	}
	list, err := consultationv1.NewConsultationServiceClient(w.conn).ListConsultations(w.ctx, &consultationv1.ListConsultationsRequest{TaskId: string(task.ID)})
	if err != nil || len(list.GetConsultations()) != 1 {
		t.Fatalf("ListConsultations() = %v, %v, want one", list, err)
	}
	shown, err := json.Marshal(fmt.Sprint(list))
	if err != nil || strings.Contains(string(shown), "xyzzy") {
		t.Errorf("the list of consultations is %s, %v, want it without content", shown, err)
	}
}

// nameless is a hand-made agent whose words have no role and no id.
type nameless struct {
	a2apb.UnimplementedA2AServiceServer
}

func (nameless) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "remote", Status: &a2apb.TaskStatus{
		State: a2apb.TaskState_TASK_STATE_COMPLETED, Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "done"}}}},
	}}}})
}

// TestWordsWithoutARoleAreTheAgents has a2a-go's client read them, which reads no task with a message that is nobody's.
func TestWordsWithoutARoleAreTheAgents(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "nameless", nameless{})
	for _, binding := range bindings {
		task := send(t, w, w.client(t, "/agents/nameless", binding), &a2a.SendMessageRequest{Message: text("x", nil)})
		if said := task.Status.Message; said == nil || said.Role != a2a.MessageRoleAgent || said.ID == "" {
			t.Errorf("over %s the agent's words are %+v, want them to be its own, with an id", binding, said)
		}
	}
}

// drafter is a hand-made agent that asks what to do with a draft.
type drafter struct {
	a2apb.UnimplementedA2AServiceServer
}

func (drafter) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{
		Id: "remote", Status: &a2apb.TaskStatus{
			State:   a2apb.TaskState_TASK_STATE_INPUT_REQUIRED,
			Message: &a2apb.Message{MessageId: "q", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "is it right?"}}}},
		},
		Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "the draft"}}}}},
	}}})
}

// TestACallerGetsTheDraftThatItIsAskedAbout sends, streams and gets over each binding.
func TestACallerGetsTheDraftThatItIsAskedAbout(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "drafter", drafter{})
	for _, binding := range bindings {
		c := w.client(t, "/agents/drafter", binding)
		task := send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil)})
		got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
		if err != nil {
			t.Fatal(err)
		}
		if task.Status.State != a2a.TaskStateInputRequired || artifactText(task) != "the draft" || artifactText(got) != "the draft" {
			t.Errorf("over %s: the answer is %+v and the task %+v, want both with the draft", binding, task, got)
		}
		shown := 0
		for _, e := range collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("x", nil)})) {
			switch e := e.(type) {
			case *a2a.TaskArtifactUpdateEvent:
				shown++
			case *a2a.Task:
				shown += len(e.Artifacts)
			}
		}
		if shown != 1 {
			t.Errorf("over %s the stream shows %d artifacts, want the draft", binding, shown)
		}
	}
}
