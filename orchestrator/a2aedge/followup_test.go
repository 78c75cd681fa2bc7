package a2aedge_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/quorate/quorate/agents/kit"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// addAsker serves an agent that asks which one and how many before it delivers.
func (w *world) addAsker(t *testing.T, name string, rules *registryv1.AgentMetadata) {
	t.Helper()
	w.addAgent(t, kit.Config{
		Name: name, Description: "Asks before it delivers.", Version: "1.0.0",
		Skills: []kit.Skill{{ID: "order", Name: "Order", Description: "Takes an order.", Tags: []string{"test"}}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			said := []string{task.Text()}
			for _, question := range []string{"which one?", "how many?"} {
				reply, err := task.Ask(ctx, a2a.NewTextPart(question), a2a.NewDataPart(map[string]any{"options": []any{"red", "green"}}))
				if err != nil {
					return err
				}
				said = append(said, reply.Parts[0].Text())
			}
			return task.AddArtifact(ctx, kit.Artifact{Name: "order", Text: strings.Join(said, ", ")})
		},
	}, rules)
}

// follow is a message in a task.
func follow(task *a2a.Task, s string, word map[string]any) *a2a.Message {
	m := text(s, word)
	m.TaskID = task.ID
	return m
}

// TestAnAgentMayAsk has a conversation over every binding, with a2a-go's own client: with one agent, and with a task that it does as a step.
func TestAnAgentMayAsk(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	step := map[string]any{"route": map[string]any{"skill": "order", "fanOut": map[string]any{"mode": "all"}}}
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) { converse(t, w, w.client(t, "/agents/asker", binding), nil) })
		t.Run(string(binding)+" as a step", func(t *testing.T) { converse(t, w, w.client(t, "", binding), step) })
	}
}

func converse(t *testing.T, w *world, c *a2aclient.Client, word map[string]any) {
	t.Helper()
	task := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", word)})
	wantAsked(t, task, "which one?", "a hat")
	wantWaiting(t, w, c, task)

	green := follow(task, "green", map[string]any{"requestId": "r"})
	task = send(t, w, c, &a2a.SendMessageRequest{Message: green})
	wantAsked(t, task, "how many?", "a hat", "which one?", "green")
	again := send(t, w, c, &a2a.SendMessageRequest{Message: green})
	wantAsked(t, again, "how many?", "a hat", "which one?", "green")

	events := collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: follow(task, "two", nil)}))
	wantStream(t, events, a2a.TaskStateCompleted, "a hat, green, two")
	_, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: follow(task, "late", nil)})
	if !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("SendMessage() to a task that has ended = %v, want ErrUnsupportedOperation", err)
	}
	two := 2
	got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID, HistoryLength: &two})
	if err != nil || said(got) != "how many?; two" {
		t.Errorf("GetTask(history 2) = %q, %v, want the last two messages", said(got), err)
	}
}

// wantWaiting looks at a task that waits: streams go on with it, and other messages to it are refused.
func wantWaiting(t *testing.T, w *world, c *a2aclient.Client, task *a2a.Task) {
	t.Helper()
	elsewhere := follow(task, "x", nil)
	elsewhere.ContextID = "another"
	if _, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: elsewhere}); err == nil || !strings.Contains(err.Error(), "is not in context") {
		t.Errorf("SendMessage() in another context = %v, want it refused", err)
	}
	if word, _ := task.Metadata[taskExtension].(map[string]any); word["waitsFor"] != "caller" {
		t.Errorf("metadata = %v, want it to say that the task waits for its caller", word)
	}
	first := 0
	for e, err := range c.SubscribeToTask(w.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if got, ok := e.(*a2a.Task); !ok || err != nil || got.ID != task.ID {
			t.Errorf("SubscribeToTask() to a task that waits = %+v, %v, want the task first", e, err)
		}
		first++
		break
	}
	if first != 1 {
		t.Errorf("SubscribeToTask() gave %d events, want the task", first)
	}
}

func wantAsked(t *testing.T, task *a2a.Task, question string, history ...string) {
	t.Helper()
	m := task.Status.Message
	if task.Status.State != a2a.TaskStateInputRequired || m == nil || m.Parts[0].Text() != question || len(m.Parts) != 2 || m.TaskID != task.ID {
		t.Fatalf("the task is in state %s saying %+v, want INPUT_REQUIRED with all parts of %q", task.Status.State, m, question)
	}
	if got := said(task); got != strings.Join(history, "; ") {
		t.Errorf("the history is %q, want %q", got, history)
	}
}

func said(task *a2a.Task) string {
	if task == nil {
		return ""
	}
	var texts []string
	for _, m := range task.History {
		texts = append(texts, m.Parts[0].Text())
	}
	return strings.Join(texts, "; ")
}

// TestTheTaskAPITakesReplies replies over REST and sees the turns.
func TestTheTaskAPITakesReplies(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	task := send(t, w, w.client(t, "/agents/asker", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("a hat", nil)})
	path := "/v1/tasks/" + string(task.ID)
	body := `{"message":{"parts":[{"text":"green"}]},"requestId":"r1"}`
	for range 2 {
		if got := w.call(t, "POST", path+":reply", body, nil); got.code != 200 {
			t.Fatalf("reply = %d %s, want 200", got.code, got.body)
		}
	}
	w.call(t, "GET", path+":watch", "", nil) // until it asks again
	got := w.call(t, "GET", path, "", nil)
	turns, _ := got.object(t)["turns"].([]any)
	if len(turns) != 3 || !strings.Contains(got.body, "how many?") || !strings.Contains(got.body, "TASK_STATE_INPUT_REQUIRED") {
		t.Errorf("the task = %s, want three turns and the next question", got.body)
	}
	for body, want := range map[string]string{
		`{"message":{"parts":[{"text":"red"}]},"requestId":"r1"}`: "REQUEST_ID_REUSED",
		`{"message":{}}`:             "MESSAGE_EMPTY",
		`{}`:                         "VALIDATION_FAILED",
		`{"message":{"parts":[{}]}}`: "PART_EMPTY",
	} {
		if got := w.call(t, "POST", path+":reply", body, nil); got.code < 400 || !strings.Contains(got.body, want) {
			t.Errorf("reply with %s = %d %s, want %s", body, got.code, got.body, want)
		}
	}
	if got := w.call(t, "POST", "/v1/tasks/absent:reply", body, nil); got.code != 404 {
		t.Errorf("reply to an absent task = %d, want 404", got.code)
	}
}

// TestAQuestionBehindAGateIsHeldBack asks in a task whose delivery a review stands before.
func TestAQuestionBehindAGateIsHeldBack(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "guarded", &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{
		Id: "review", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: new(true),
	}}})
	task := send(t, w, w.client(t, "/agents/guarded", a2a.TransportProtocolJSONRPC), &a2a.SendMessageRequest{Message: text("a hat", nil)})
	got := w.call(t, "GET", "/a2a/tasks/"+string(task.ID), "", nil)
	rest := w.call(t, "GET", "/v1/tasks/"+string(task.ID), "", nil)
	if strings.Contains(got.body+rest.body, "which one?") || !strings.Contains(got.body, "held back") || !strings.Contains(rest.body, "held back") || !strings.Contains(got.body, `"waitsFor":"caller"`) {
		t.Errorf("the task = %s and %s, want the question held back, and that it waits for its caller", got.body, rest.body)
	}
}

// TestAReplySaysItsTaskAndItsWordsOnce replies with metadata that says something else than the message that it is in.
func TestAReplySaysItsTaskAndItsWordsOnce(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	c := w.client(t, "/agents/asker", a2a.TransportProtocolJSONRPC)
	task := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", nil)})
	for name, word := range map[string]map[string]any{
		"the id of a task": {"id": string(task.ID)},
		"a message":        {"message": map[string]any{"parts": []any{map[string]any{"text": "red"}}}},
		"a route":          {"route": map[string]any{"agent": "echo"}},
	} {
		if got, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: follow(task, "green", word)}); err == nil || !strings.Contains(err.Error(), "takes requestId and nothing else") {
			t.Errorf("SendMessage() with %s in the metadata = %v, %v, want it refused", name, got, err)
		}
	}
	got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil {
		t.Fatalf("GetTask() = %v", err)
	}
	wantAsked(t, got, "which one?", "a hat")
}
