package a2aedge_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// told is one push notification.
type told struct {
	header http.Header
	body   string
}

// receive serves a receiver of push notifications.
func receive(t *testing.T) (url string, notifications <-chan told) {
	t.Helper()
	ch := make(chan told, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		ch <- told{r.Header, string(body)}
	}))
	t.Cleanup(server.Close)
	return server.URL, ch
}

func next(t *testing.T, notifications <-chan told) told {
	t.Helper()
	select {
	case n := <-notifications:
		return n
	case <-time.After(patience):
		t.Fatal("no push notification came")
		return told{}
	}
}

// TestAReceiverIsToldOverEveryBinding gives a receiver with a message, and looks at what it is told, with a2a-go's own client and types.
func TestAReceiverIsToldOverEveryBinding(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			url, notifications := receive(t)
			c := w.client(t, "/agents/asker", binding)
			task := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", nil), Config: &a2a.SendMessageConfig{
				ReturnImmediately: true,
				PushConfig:        &a2a.PushConfig{ID: "mine", URL: url, Token: "tok", Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "cred"}},
			}})
			wantToldOfQuestion(t, task, notifications)
			for _, word := range []string{"green", "two"} {
				send(t, w, c, &a2a.SendMessageRequest{Message: follow(task, word, nil)})
			}
			last := next(t, notifications)
			for !strings.Contains(last.body, "TASK_STATE_COMPLETED") {
				last = next(t, notifications)
			}
			if !strings.Contains(last.body, "a hat, green, two") {
				t.Errorf("the last notification = %s, want the artifact in it", last.body)
			}
			wantManaged(t, w, c, task, url)
		})
	}
}

// wantToldOfQuestion wants a notification with the agent's question, in the form of A2A.
func wantToldOfQuestion(t *testing.T, task *a2a.Task, notifications <-chan told) {
	t.Helper()
	asked := next(t, notifications)
	for !strings.Contains(asked.body, "TASK_STATE_INPUT_REQUIRED") { // it may be told of the work's beginning first
		asked = next(t, notifications)
	}
	if asked.header.Get("Authorization") != "Bearer cred" || asked.header.Get("A2A-Notification-Token") != "tok" ||
		!strings.HasPrefix(asked.header.Get("Quorate-Event-Id"), string(task.ID)+"/") || asked.header.Get("Content-Type") != "application/a2a+json" {
		t.Errorf("the notification's header = %v, want the credentials, the token and the event's id", asked.header)
	}
	var r a2a.StreamResponse
	if err := json.Unmarshal([]byte(asked.body), &r); err != nil {
		t.Fatalf("the notification is no StreamResponse: %v\n%s", err, asked.body)
	}
	if got, ok := r.Event.(*a2a.Task); !ok || got.ID != task.ID || got.Status.Message.Parts[0].Text() != "which one?" {
		t.Errorf("the notification = %s, want the task with its question", asked.body)
	}
}

// wantManaged reads, adds and removes receivers of a task that has one at url.
func wantManaged(t *testing.T, w *world, c *a2aclient.Client, task *a2a.Task, url string) {
	t.Helper()
	got, err := c.GetTaskPushConfig(w.ctx, &a2a.GetTaskPushConfigRequest{TaskID: task.ID, ID: "mine"})
	if err != nil || got.URL != url || got.Token != "tok" || got.Auth == nil || got.Auth.Credentials != "" {
		t.Errorf("GetTaskPushConfig() = %+v, %v, want it without its credentials", got, err)
	}
	made, err := c.CreateTaskPushConfig(w.ctx, &a2a.PushConfig{TaskID: task.ID, URL: url})
	if err != nil || made.ID == "" {
		t.Fatalf("CreateTaskPushConfig() = %+v, %v, want one with an id", made, err)
	}
	for range 2 { // to delete it again is no error
		if err := c.DeleteTaskPushConfig(w.ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "mine"}); err != nil {
			t.Errorf("DeleteTaskPushConfig() = %v", err)
		}
	}
	if list, err := c.ListTaskPushConfigs(w.ctx, &a2a.ListTaskPushConfigRequest{TaskID: task.ID}); err != nil || len(list) != 1 || list[0].ID != made.ID {
		t.Errorf("ListTaskPushConfigs() = %+v, %v, want the other one", list, err)
	}
}

// TestANotificationHoldsBackWhatAGateDoes has a receiver of a task that is blocked.
func TestANotificationHoldsBackWhatAGateDoes(t *testing.T) {
	w := newWorld(t)
	url, notifications := receive(t)
	send(t, w, w.client(t, "/agents/careful", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{
		Message: text("xyzzy-secret", sensitive), Config: &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: url}},
	})
	blocked := next(t, notifications)
	for !strings.Contains(blocked.body, "TASK_STATE_INPUT_REQUIRED") {
		blocked = next(t, notifications)
	}
	var r struct {
		Task struct{ Artifacts []any }
	}
	if err := json.Unmarshal([]byte(blocked.body), &r); err != nil || len(r.Task.Artifacts) != 0 || !strings.Contains(blocked.body, `"waitsFor":"consultation"`) {
		t.Errorf("the notification = %s, %v, want no artifact, and that it waits for a consultation", blocked.body, err)
	}
}

// TestReceiversAreTheirOwnersBusiness looks for them with other credentials.
func TestReceiversAreTheirOwnersBusiness(t *testing.T) {
	w := newWorld(t)
	url, _ := receive(t)
	task := send(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{
		Message: text("x", nil), Config: &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: url, Token: "xyzzy-receiver"}},
	})
	wantReceivers(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), task, 1)
	issued, err := registryv1.NewRegistryServiceClient(w.conn).IssueAgentToken(w.ctx, &registryv1.IssueAgentTokenRequest{Name: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	path := "/a2a/tasks/" + string(task.ID) + "/pushNotificationConfigs"
	if got := w.call(t, "GET", path, "", map[string]string{"Authorization": "Bearer " + issued.GetToken()}); got.code != 403 {
		t.Errorf("the agent that executes the task sees its receivers: %d %s", got.code, got.body)
	}
	for _, place := range []string{"/v1/tasks/" + string(task.ID), "/a2a/tasks/" + string(task.ID)} {
		if got := w.call(t, "GET", place, "", nil); got.code != 200 || strings.Contains(got.body, "xyzzy-receiver") || strings.Contains(got.body, url) {
			t.Errorf("GET %s = %d %s, want the task without its receivers", place, got.code, got.body)
		}
	}
}

// TestAReceiverIsFoundByTheIDThatItsOwnerChose reads and deletes receivers over HTTP+JSON, where their ids are segments of the path.
func TestAReceiverIsFoundByTheIDThatItsOwnerChose(t *testing.T) {
	w := newWorld(t)
	receiver, _ := receive(t)
	for _, base := range []string{"/a2a", "/a2a/echo", "/agents/echo"} {
		for _, id := range []string{"a/b", "https://x.example/?a=b#c", "50%2F", "a:cancel"} {
			task := send(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{
				Message: text("x", nil), Config: &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{ID: id, URL: receiver}},
			})
			path := base + "/tasks/" + string(task.ID) + "/pushNotificationConfigs/" + url.PathEscape(id)
			if got := w.call(t, "GET", path, "", nil); got.code != 200 || got.object(t)["id"] != id {
				t.Errorf("GET %s = %d %s, want the receiver %q", path, got.code, got.body, id)
			}
			if got := w.call(t, "DELETE", path, "", nil); got.code != 200 {
				t.Errorf("DELETE %s = %d %s, want 200", path, got.code, got.body)
			}
			wantReceivers(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), task, 0)
		}
	}
}

// TestAReceiverComesWithItsMessageOrNotAtAll sends a message to a task with a receiver: one that the task takes, the same again, and one that it
// refuses.
func TestAReceiverComesWithItsMessageOrNotAtAll(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	url, _ := receive(t)
	config := &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: url}}
	step := map[string]any{"route": map[string]any{"skill": "order", "fanOut": map[string]any{"mode": "all"}}}
	for name, word := range map[string]map[string]any{"an agent": {"route": map[string]any{"agent": "asker"}}, "a step": step} {
		t.Run(name, func(t *testing.T) {
			c := w.client(t, "", a2a.TransportProtocolGRPC)
			task := send(t, w, c, &a2a.SendMessageRequest{Message: text("a hat", word)})
			elsewhere := follow(task, "green", nil)
			elsewhere.ContextID = "another"
			if _, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: elsewhere, Config: config}); err == nil {
				t.Error("SendMessage() in another context = nil, want it refused")
			}
			other := &a2a.SendMessageConfig{PushConfig: &a2a.PushConfig{URL: url, TaskID: "another"}}
			if _, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: follow(task, "green", nil), Config: other}); err == nil {
				t.Error("SendMessage() with a receiver for another task = nil, want it refused")
			}
			wantReceivers(t, w, c, task, 0)
			green := follow(task, "green", map[string]any{"requestId": "r"})
			for range 2 {
				send(t, w, c, &a2a.SendMessageRequest{Message: green, Config: config})
			}
			wantReceivers(t, w, c, task, 1)
			send(t, w, c, &a2a.SendMessageRequest{Message: follow(task, "two", nil), Config: config})
			wantReceivers(t, w, c, task, 1)
		})
	}
}

func wantReceivers(t *testing.T, w *world, c *a2aclient.Client, task *a2a.Task, want int) {
	t.Helper()
	list, err := c.ListTaskPushConfigs(w.ctx, &a2a.ListTaskPushConfigRequest{TaskID: task.ID})
	if err != nil || len(list) != want {
		t.Errorf("ListTaskPushConfigs() = %d receivers, %v, want %d", len(list), err, want)
	}
}
