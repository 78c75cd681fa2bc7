package a2aedge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

var sensitive = map[string]any{"attributes": map[string]any{"sensitive": true}}

// TestAnOpenGateHoldsBack has a task stop at its gate, and follows it through, over each binding.
func TestAnOpenGateHoldsBack(t *testing.T) {
	w := newWorld(t)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			c := w.client(t, "/agents/careful", binding)
			const secret = "the delivery"
			task := send(t, w, c, &a2a.SendMessageRequest{Message: text(secret, sensitive)})
			wantHeld(t, task, secret)

			// Two of them: each must see the end, and neither may end the other.
			type stream struct{ events []a2a.Event }
			first, done := make(chan struct{}, 2), make(chan stream, 2)
			for range 2 {
				follower := w.client(t, "/agents/careful", binding)
				go func() {
					var s stream
					for e, err := range follower.SubscribeToTask(w.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
						if err != nil {
							t.Errorf("SubscribeToTask() = %v after %d events", err, len(s.events))
							break
						}
						if s.events = append(s.events, e); len(s.events) == 1 {
							first <- struct{}{}
						}
					}
					done <- s
				}()
			}
			<-first
			<-first
			w.consult(t, task.ID)
			for range 2 {
				s := <-done
				wantStream(t, s.events, a2a.TaskStateCompleted, secret)
			}
			got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
			if err != nil || artifactText(got) != secret {
				t.Errorf("GetTask() after the review = %+v, %v, want the artifact", got, err)
			}
		})
	}
}

// TestALargeDeliveryIsReviewed has a real reviewer look at more than the task that carries the question holds itself.
func TestALargeDeliveryIsReviewed(t *testing.T) {
	w := newWorld(t)
	large := strings.Repeat("nothing to object to\n", 16_000)
	c := w.client(t, "/agents/careful", bindings[0])
	task := send(t, w, c, &a2a.SendMessageRequest{Message: text(large, sensitive)})
	w.consult(t, task.ID)
	for e, err := range c.SubscribeToTask(w.ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			t.Logf("SubscribeToTask() = %v after %v", err, e) // it may have ended already
			break
		}
	}
	got, err := c.GetTask(w.ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil || got.Status.State != a2a.TaskStateCompleted {
		t.Fatalf("GetTask() after the review = %v, %v, want it completed", got.Status, err)
	}
	if delivered := artifactText(got); strings.TrimSpace(delivered) != strings.TrimSpace(large) {
		t.Errorf("GetTask() has %d bytes, want the %d that were delivered", len(delivered), len(large))
	}
}

// wantHeld wants a task that waits at its gate, says for whom, and shows nothing of what the agent delivered.
func wantHeld(t *testing.T, task *a2a.Task, secret string) {
	t.Helper()
	if task.Status.State != a2a.TaskStateInputRequired || task.Status.Message == nil {
		t.Fatalf("status = %+v, want input-required with a message", task.Status)
	}
	word, _ := task.Metadata[taskExtension].(map[string]any)
	gate, _ := json.Marshal(word["gates"])
	if word["withheldArtifacts"] != float64(1) || !strings.Contains(string(gate), `"targetAgent":"reviewer"`) || !strings.Contains(string(gate), `"verdict":"missing"`) {
		t.Errorf("metadata = %v, want one withheld artifact and the reviewer's missing verdict", word)
	}
	task.History = nil // it holds what the caller itself said, which echo delivers
	if shown, _ := json.Marshal(task); strings.Contains(string(shown), secret) {
		t.Errorf("the task shows what the gate holds back: %s", shown)
	}
}

func TestAStreamEndsWhereTheTaskWaits(t *testing.T) {
	w := newWorld(t)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			c := w.client(t, "/agents/careful", binding)
			events := collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("sleep 60ms hello", sensitive)}))
			wantStream(t, events, a2a.TaskStateInputRequired, "")
			for _, e := range events {
				if u, ok := e.(*a2a.TaskStatusUpdateEvent); ok && u.Status.Message != nil && strings.Contains(u.Status.Message.Parts[0].Text(), "sleeping") {
					t.Errorf("the stream shows the agent's words before the review: %q", u.Status.Message.Parts[0].Text())
				}
			}
		})
	}
}

// TestABrokenStreamGoesOn takes a stream up after each of its events and wants the rest of it.
func TestABrokenStreamGoesOn(t *testing.T) {
	w := newWorld(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"sleep 60ms hello"}]}}}`
	whole := w.call(t, "POST", "/agents/echo", body, map[string]string{"Accept": "text/event-stream"})
	if got := whole.header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("Content-Type = %q, want text/event-stream; %s", got, whole.body)
	}
	events := parse(t, whole.body)
	id, _ := events[0].result["task"].(map[string]any)["id"].(string)
	for i, e := range events[:len(events)-1] {
		if e.id == "" {
			continue // an artifact; it comes again with the end
		}
		want := numbered(events[i+1:])
		for _, again := range []answer{
			w.call(t, "GET", "/agents/echo/tasks/"+id+":subscribe", "", map[string]string{"Last-Event-ID": e.id}),
			w.call(t, "POST", "/a2a", `{"jsonrpc":"2.0","id":"x","method":"SubscribeToTask","params":{"id":"`+id+`"}}`, map[string]string{"Last-Event-ID": e.id}),
		} {
			if got := numbered(parse(t, again.body)); strings.Join(got, ",") != strings.Join(want, ",") {
				t.Errorf("after event %s came %v, want %v\n%s", e.id, got, want, again.body)
			}
			if !strings.Contains(again.body, "artifactUpdate") {
				t.Errorf("the stream after event %s has no artifact", e.id)
			}
		}
	}
	last := events[len(events)-1].id
	for header, reason := range map[string]string{last: "UNSUPPORTED_OPERATION", "999": "UNSUPPORTED_OPERATION", "x": "LAST_EVENT_ID_INVALID"} {
		got := w.call(t, "GET", "/a2a/tasks/"+id+":subscribe", "", map[string]string{"Last-Event-ID": header})
		if got.code != 400 || !strings.Contains(got.body, reason) {
			t.Errorf("Last-Event-ID %s: %d %s, want 400 with %s", header, got.code, got.body, reason)
		}
	}
}

type event struct {
	id     string
	result map[string]any
}

// parse reads server-sent events of either binding.
func parse(t *testing.T, body string) []event {
	t.Helper()
	var events []event
	for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		var e event
		for line := range strings.SplitSeq(block, "\n") {
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				e.id = id
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			if err := json.Unmarshal([]byte(data), &e.result); err != nil {
				t.Fatalf("an event holds no JSON: %v\n%s", err, data)
			}
			if result, ok := e.result["result"].(map[string]any); ok {
				e.result = result
			}
			events = append(events, e)
		}
	}
	if len(events) == 0 {
		t.Fatalf("no events in %q", body)
	}
	return events
}

func numbered(events []event) []string {
	var ids []string
	for _, e := range events {
		if e.id != "" {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// TestACarriedQuestionShowsNoContent looks at the task that takes the question to the reviewer.
func TestACarriedQuestionShowsNoContent(t *testing.T) {
	w := newWorld(t)
	const secret = "nothing to object to"
	task := send(t, w, w.client(t, "/agents/careful", bindings[0]), &a2a.SendMessageRequest{Message: text(secret, sensitive)})
	c, err := consultationv1.NewConsultationServiceClient(w.conn).RequestConsultation(w.ctx, &consultationv1.RequestConsultationRequest{TaskId: string(task.ID), RequirementId: "review"})
	if err != nil {
		t.Fatalf("RequestConsultation() = %v", err)
	}
	for _, path := range []string{"/v1/tasks/" + c.GetCarrierTaskId(), "/a2a/tasks/" + c.GetCarrierTaskId(), "/a2a/tasks?tenant=reviewer&includeArtifacts=true"} {
		if got := w.call(t, "GET", path, "", nil); !strings.Contains(got.body, c.GetCarrierTaskId()) || strings.Contains(got.body, secret) {
			t.Errorf("GET %s = %d %s, want the task without what it carries", path, got.code, got.body)
		}
	}
}
