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
