package a2aedge_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// TestAStreamOfTheTaskAPIIsTakenUpAgain reads a task's events as a browser does, which names the last one that it has seen in a header.
func TestAStreamOfTheTaskAPIIsTakenUpAgain(t *testing.T) {
	w := newWorld(t)
	id := send(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("x", nil)}).ID
	for header, want := range map[string]struct {
		code  int
		first string
	}{
		"": {200, "id: 1\n"}, "0": {200, "id: 1\n"}, "2": {200, "id: 3\n"}, "99": {400, "SEQUENCE_AHEAD"}, "x": {400, "LAST_EVENT_ID_INVALID"}, "-1": {400, "LAST_EVENT_ID_INVALID"},
	} {
		got := w.call(t, "GET", "/v1/tasks/"+string(id)+":watch?afterSequence=0", "", map[string]string{"Accept": "text/event-stream", "Last-Event-ID": header})
		if got.code != want.code || got.code == 200 && !strings.HasPrefix(got.body, want.first) || !strings.Contains(got.body, want.first) {
			t.Errorf("watch with the last event %q = %d %.200s, want %d that begins with %q", header, got.code, got.body, want.code, want.first)
		}
	}
}

// TestTheTaskAPICancelsAgain repeats a cancellation whose answer may have been lost, after the task has ended; for A2A that is an error.
func TestTheTaskAPICancelsAgain(t *testing.T) {
	w := newWorld(t)
	w.addAsker(t, "asker", nil)
	task := send(t, w, w.client(t, "/agents/asker", a2a.TransportProtocolGRPC), &a2a.SendMessageRequest{Message: text("a hat", nil)})
	path := "/v1/tasks/" + string(task.ID)
	w.call(t, "POST", path+":cancel", "", nil)
	w.call(t, "GET", path+":watch?throughGates=true", "", nil) // until it has ended
	for place, want := range map[string]int{path: 200, "/a2a/tasks/" + string(task.ID): 400} {
		got := w.call(t, "POST", place+":cancel", "", nil)
		if got.code != want || !strings.Contains(got.body, "TASK_STATE_CANCELED") {
			t.Errorf("%s:cancel, again = %d %s, want %d and that it is canceled", place, got.code, got.body, want)
		}
	}
}
