package kit_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
)

// TestAnErrorBeforeAStreamHasAStatusOfHTTP makes calls of HTTP+JSON whose streams cannot begin.
func TestAnErrorBeforeAStreamHasAStatusOfHTTP(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	ended := send(t, client(t, agent, a2a.TransportProtocolJSONRPC), say("hello"))
	message := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	tests := map[string]struct {
		path, version, body string
		code                int
		status, reason      string
	}{
		"a task that has ended": {"tasks/" + string(ended.ID) + ":subscribe", "1.0", "", http.StatusBadRequest, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"},
		"an unknown task":       {"tasks/none:subscribe", "1.0", "", http.StatusNotFound, "NOT_FOUND", "TASK_NOT_FOUND"},
		"another version":       {"message:stream", "99.0", message, http.StatusBadRequest, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"},
		"no message id":         {"message:stream", "1.0", strings.Replace(message, `"m"`, `""`, 1), http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_PARAMS"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := fetch(t, http.MethodPost, agent.URL()+"/rest/"+test.path, http.Header{a2a.SvcParamVersion: {test.version}}, strings.NewReader(test.body))
			var body struct {
				Error struct {
					Code    int
					Status  string
					Details []struct{ Reason string }
				}
			}
			if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "" {
				t.Fatalf("POST %s = %d %v %s, want an error as JSON", test.path, got.code, got.header, got.body)
			}
			if e := body.Error; got.code != test.code || e.Code != test.code || e.Status != test.status || len(e.Details) != 1 || e.Details[0].Reason != test.reason {
				t.Errorf("POST %s = %d %s, want %d %s %s", test.path, got.code, got.body, test.code, test.status, test.reason)
			}
		})
	}
	t.Run("a stream", func(t *testing.T) {
		t.Parallel()
		got := fetch(t, http.MethodPost, agent.URL()+"/rest/message:stream", http.Header{a2a.SvcParamVersion: {"1.0"}}, strings.NewReader(message))
		if got.code != http.StatusOK || got.header.Get("Content-Type") != "text/event-stream" || strings.Count(got.body, "\ndata: ") < 2 {
			t.Errorf("POST message:stream = %d %v %s, want a stream of events", got.code, got.header, got.body)
		}
	})
}
