package a2aedge_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestWhatTheServerRefusesHasTheFormOfItsBinding sends what is refused before it is read: clients look for the reason where their binding has it.
func TestWhatTheServerRefusesHasTheFormOfItsBinding(t *testing.T) {
	w := newWorld(t)
	large := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"` + strings.Repeat("x", 5<<20) + `"}}`
	for name, test := range map[string]struct {
		body, host string
		length     int64
		status     int
		rpc        int
		reason     string
	}{
		"a body that is too large":        {large, "", int64(len(large)), 413, -32602, "BODY_TOO_LARGE"},
		"one that does not say how large": {large, "", -1, 413, -32602, "BODY_TOO_LARGE"},
		"a host that is none of ours":     {"{}", "evil.example", 2, 421, -31403, "HOST_DENIED"},
	} {
		for path, code := range map[string]int{"/agents/echo": test.rpc, "/agents/echo/message:send": test.status, "/a2a/": test.rpc, "/a2a/message:send": test.status} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http+path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"Authorization": {"Bearer " + w.token}, "A2a-Version": {"1.0"}, "Content-Type": {"application/json"}}
			req.Host, req.ContentLength = test.host, test.length
			got := w.send(t, req)
			failure, _ := got.object(t)["error"].(map[string]any)
			if got.code != test.status || failure["code"] != float64(code) || !strings.Contains(got.body, `"reason":"`+test.reason+`"`) {
				t.Errorf("%s: POST %s = %d %.300s, want %d with error code %d and %s", name, path, got.code, got.body, test.status, code, test.reason)
			}
		}
	}
}
