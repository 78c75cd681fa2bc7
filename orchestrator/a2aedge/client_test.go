package a2aedge_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

// door is a client at a base URL, with the word that its messages need to find their agent.
type door struct {
	*world
	client *a2aclient.Client
	word   map[string]any
}

// TestTheSDKsClient drives every binding and both doors with a2a-go's own client.
func TestTheSDKsClient(t *testing.T) {
	w := newWorld(t)
	cases := map[string]func(*testing.T, door){
		"a message is answered when the task has ended": answersAtTheEnd,
		"or at once when that is asked for":             answersAtOnce,
		"a stream is the task and then its updates":     streams,
		"the task can be read and listed":               readsAndLists,
		"what is not there is refused as A2A says":      refuses,
	}
	for _, binding := range bindings {
		for base, word := range map[string]map[string]any{"": {"route": map[string]any{"agent": "echo"}}, "/agents/echo": nil} {
			d := door{w, w.client(t, base, binding), word}
			for name, test := range cases {
				t.Run(string(binding)+" at "+base+": "+name, func(t *testing.T) { test(t, d) })
			}
		}
	}
}

func answersAtTheEnd(t *testing.T, d door) {
	t.Helper()
	got := send(t, d.world, d.client, &a2a.SendMessageRequest{Message: text("hello", d.word)})
	if got.Status.State != a2a.TaskStateCompleted || artifactText(got) != "hello" || len(got.History) != 1 || got.History[0].TaskID != got.ID {
		t.Errorf("SendMessage() = %+v, want completed with hello and the message in its history", got)
	}
}

func answersAtOnce(t *testing.T, d door) {
	t.Helper()
	none := 0
	got := send(t, d.world, d.client, &a2a.SendMessageRequest{
		Message: text("sleep 10m x", d.word), Config: &a2a.SendMessageConfig{ReturnImmediately: true, HistoryLength: &none},
	})
	if got.Status.State.Terminal() || len(got.History) != 0 {
		t.Errorf("SendMessage() = %+v, want a task under way without history", got)
	}
	canceled, err := d.client.CancelTask(d.ctx, &a2a.CancelTaskRequest{ID: got.ID})
	if err != nil || canceled.Status.State != a2a.TaskStateCanceled {
		t.Errorf("CancelTask() = %+v, %v, want canceled", canceled, err)
	}
	if _, err := d.client.CancelTask(d.ctx, &a2a.CancelTaskRequest{ID: got.ID}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
		t.Errorf("CancelTask() again = %v, want ErrTaskNotCancelable", err)
	}
}

func streams(t *testing.T, d door) {
	t.Helper()
	events := collect(t, d.client.SendStreamingMessage(d.ctx, &a2a.SendMessageRequest{Message: text("sleep 60ms hello", d.word)}))
	wantStream(t, events, a2a.TaskStateCompleted, "hello")
	if begun, ok := events[0].(*a2a.Task); !ok || len(begun.History) != 1 {
		t.Errorf("the stream begins with %+v, want the task with its message", events[0])
	}
	none := 0
	events = collect(t, d.client.SendStreamingMessage(d.ctx, &a2a.SendMessageRequest{
		Message: text("hello", d.word), Config: &a2a.SendMessageConfig{HistoryLength: &none},
	}))
	if begun, ok := events[0].(*a2a.Task); !ok || len(begun.History) != 0 {
		t.Errorf("the stream begins with %+v, want the task without history, as it was asked for", events[0])
	}
}

func readsAndLists(t *testing.T, d door) {
	t.Helper()
	sent := send(t, d.world, d.client, &a2a.SendMessageRequest{Message: text("listed", d.word)})
	got, err := d.client.GetTask(d.ctx, &a2a.GetTaskRequest{ID: sent.ID})
	if err != nil || artifactText(got) != "listed" {
		t.Errorf("GetTask() = %+v, %v, want it with its artifact", got, err)
	}
	send(t, d.world, d.client, &a2a.SendMessageRequest{Message: text("newest", d.word)})
	list, err := d.client.ListTasks(d.ctx, &a2a.ListTasksRequest{PageSize: 2})
	if err != nil || len(list.Tasks) != 2 || list.Tasks[1].ID != sent.ID || len(list.Tasks[0].Artifacts) != 0 || list.TotalSize < 2 {
		t.Errorf("ListTasks() = %+v, %v, want the newest tasks without artifacts", list, err)
	}
}

func refuses(t *testing.T, d door) {
	t.Helper()
	if _, err := d.client.GetTask(d.ctx, &a2a.GetTaskRequest{ID: "none"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("GetTask() = %v, want ErrTaskNotFound", err)
	}
	if _, err := d.client.ListTaskPushConfigs(d.ctx, &a2a.ListTaskPushConfigRequest{TaskID: "x"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("ListTaskPushConfigs() = %v, want ErrTaskNotFound", err)
	}
}

func send(t *testing.T, w *world, c *a2aclient.Client, req *a2a.SendMessageRequest) *a2a.Task {
	t.Helper()
	result, err := c.SendMessage(w.ctx, req)
	if err != nil {
		t.Fatalf("SendMessage() = %v", err)
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		t.Fatalf("SendMessage() = %T, want a task", result)
	}
	return task
}

func artifactText(task *a2a.Task) string {
	var b strings.Builder
	for _, a := range task.Artifacts {
		for _, p := range a.Parts {
			b.WriteString(p.Text())
		}
	}
	return b.String()
}

func collect(t *testing.T, stream iter.Seq2[a2a.Event, error]) []a2a.Event {
	t.Helper()
	var events []a2a.Event
	for e, err := range stream {
		if err != nil {
			t.Fatalf("the stream broke after %d events: %v", len(events), err)
		}
		events = append(events, e)
	}
	return events
}

// wantStream wants the task first, then updates of it, and last its end, right behind its artifact if there is one.
func wantStream(t *testing.T, events []a2a.Event, state a2a.TaskState, artifact string) {
	t.Helper()
	if len(events) < 2 {
		t.Fatalf("the stream has %d events, want at least the task and its end", len(events))
	}
	task, ok := events[0].(*a2a.Task)
	if !ok {
		t.Fatalf("the first event is a %T, want the task", events[0])
	}
	for i, e := range events[1:] {
		if info := e.TaskInfo(); info.TaskID != task.ID || info.ContextID != task.ContextID {
			t.Errorf("event %d is of %+v, want task %s in %s", i+1, info, task.ID, task.ContextID)
		}
	}
	last, ok := events[len(events)-1].(*a2a.TaskStatusUpdateEvent)
	if !ok || last.Status.State != state {
		t.Errorf("the last event is %+v, want state %s", events[len(events)-1], state)
	}
	var got strings.Builder
	for _, e := range events {
		if u, ok := e.(*a2a.TaskArtifactUpdateEvent); ok {
			for _, p := range u.Artifact.Parts {
				got.WriteString(p.Text())
			}
		}
	}
	if got.String() != artifact {
		t.Errorf("the artifacts in the stream say %q, want %q", got.String(), artifact)
	}
}
