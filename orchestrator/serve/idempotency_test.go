package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestAnIdempotencyKeyIsARequestID submits a task again as clients do that know the header only.
func TestAnIdempotencyKeyIsARequestID(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback = true
	p := start(t, c)
	ask := func(path, key, body string) (int, string) {
		t.Helper()
		return call(t, &http.Client{Transport: sending{"Idempotency-Key", key}}, http.MethodPost, "http://"+p.addr+path, admin, body)
	}
	if code, told := ask("/v1/agents:register", `"reg-1"`, fmt.Sprintf(`{"cardUri":%q}`, talker(t, "coder"))); code != http.StatusOK {
		t.Fatalf("POST /v1/agents:register = %d %s, want 200", code, told)
	}
	const submission = `{"route":{"agent":"coder"},"message":{"messageId":"m","parts":[{"text":"hi"}]}}`
	var ids []string
	for _, key := range []string{`"one"`, "one", `"two"`} {
		var accepted task
		if code, told := ask("/v1/tasks", key, submission); code != http.StatusOK || json.Unmarshal([]byte(told), &accepted) != nil {
			t.Fatalf("POST /v1/tasks with the key %s = %d %s, want a task", key, code, told)
		}
		ids = append(ids, accepted.ID)
	}
	if ids[0] != ids[1] || ids[1] == ids[2] {
		t.Errorf("the keys one, one and two made the tasks %q, want the same one twice, and another", ids)
	}
	for _, test := range []struct{ path, key, body, want string }{
		{"/v1/tasks", "one", strings.Replace(submission, "hi", "bye", 1), "REQUEST_ID_REUSED"},
		{"/v1/tasks", "a b", submission, "request_id"},
	} {
		if code, told := ask(test.path, test.key, test.body); code == http.StatusOK || !strings.Contains(told, test.want) {
			t.Errorf("POST %s with the key %q = %d %s, want %s", test.path, test.key, code, told, test.want)
		}
	}
	if code, told := ask("/v1/routes:resolve", "any", `{"route":{"agent":"coder"}}`); code != http.StatusOK {
		t.Errorf("POST /v1/routes:resolve with a key, which it has no use for = %d %s, want 200", code, told)
	}
}
