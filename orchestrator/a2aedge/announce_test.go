package a2aedge_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// announcer is a hand-made agent over JSON-RPC that does not stream and announces the end of its work, which it comes to when it is told.
type announcer struct {
	mu       sync.Mutex
	receiver chan string
	done     bool // guarded by mu
	asked    int  // guarded by mu
}

func (a *announcer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var e struct {
		Method string
		Params struct{ URL, TaskID string }
	}
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	task := `{"id":"remote","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}`
	if a.done {
		task = `{"id":"remote","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"as asked"}]}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	switch e.Method {
	case "SendMessage":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":"1","result":{"task":%s}}`, task)
	case "GetTask":
		a.asked++
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":"1","result":%s}`, task)
	case "CreateTaskPushNotificationConfig":
		a.receiver <- e.Params.URL
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"1","result":{"id":"quorate","taskId":"remote","url":"x"}}`)
	default:
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"no"}}`)
	}
}

// TestAnAgentsAnnouncementIsTakenAsAReasonToAsk has an agent announce the end of its work with words that are not true.
func TestAnAgentsAnnouncementIsTakenAsAReasonToAsk(t *testing.T) {
	w := newWorld(t)
	agent := &announcer{receiver: make(chan string, 1)}
	server := httptest.NewServer(agent)
	t.Cleanup(server.Close)
	card := `{"name":"announcer","description":"d","version":"1.0.0","capabilities":{"pushNotifications":true},"defaultInputModes":["text/plain"],
		"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],
		"supportedInterfaces":[{"url":"` + server.URL + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	if made := w.call(t, "POST", "/v1/agents:register", `{"card":`+card+`}`, nil); made.code != 200 {
		t.Fatalf("register = %d %s", made.code, made.body)
	}
	c := w.client(t, "/agents/announcer", a2a.TransportProtocolJSONRPC)
	task := send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil), Config: &a2a.SendMessageConfig{ReturnImmediately: true}})
	var receiver string
	select {
	case receiver = <-agent.receiver:
	case <-time.After(patience):
		t.Fatal("the agent was not asked to announce anything")
	}
	path, ours := strings.CutPrefix(receiver, w.http)
	if !ours || strings.Contains(path, string(task.ID)) {
		t.Fatalf("the receiver is %s, want one of ours that nobody can guess", receiver)
	}
	none := map[string]string{"Authorization": ""}
	lie := `{"task":{"id":"remote","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"a lie"}]}]}}`
	if got := w.call(t, "POST", path, lie, none); got.code != 204 {
		t.Errorf("an announcement = %d %s, want 204", got.code, got.body)
	}
	if got := w.call(t, "POST", path, lie+strings.Repeat(" ", 9<<20), none); got.code != 204 {
		t.Errorf("an announcement with a task of 9 MiB = %d %s, want 204", got.code, got.body)
	}
	if got := w.call(t, "POST", path[:len(path)-1]+"A", lie, none); got.code != 404 {
		t.Errorf("an announcement with a token that is not ours = %d, want 404", got.code)
	}
	if got := w.call(t, "GET", "/a2a/tasks/"+string(task.ID), "", nil); !strings.Contains(got.body, "TASK_STATE_WORKING") || strings.Contains(got.body, "a lie") {
		t.Errorf("the task = %s, want it as the agent itself says when asked", got.body)
	}
	agent.mu.Lock()
	agent.done = true
	agent.mu.Unlock()
	begin := time.Now()
	w.call(t, "POST", path, `{}`, none)
	events := w.call(t, "GET", "/v1/tasks/"+string(task.ID)+":watch", "", nil)
	if !strings.Contains(events.body, "as asked") {
		t.Errorf("the end of the task = %s, want what the agent delivered", events.body)
	}
	if took := time.Since(begin); took > 10*time.Second { // it would be asked anyway, a while later
		t.Errorf("the task ended %s after the announcement, want at once", took)
	}
	agent.mu.Lock()
	defer agent.mu.Unlock()
	if agent.asked > 10 {
		t.Errorf("the agent was asked %d times, want a few", agent.asked)
	}
}
