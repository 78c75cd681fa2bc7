package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestACallerHasItsShareOfEveryDoor counts calls over REST and calls that pass over JSON-RPC together.
func TestACallerHasItsShareOfEveryDoor(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback, c.Agents.PassThrough = true, []string{"echo"}
	c.Calls.PerSecond, c.Calls.Burst = 0.001, 4
	p := start(t, c)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		return call(t, new(http.Client), method, "http://"+p.addr+path, admin, body)
	}
	if code, told := ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, talker(t, "echo"))); code != http.StatusOK {
		t.Fatalf("POST /v1/agents:register = %d %s, want 200", code, told)
	}
	pass := func() (int, string) {
		t.Helper()
		return ask("POST", "/agents/echo?A2A-Version=1.0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`)
	}
	for i := range 2 {
		if code, told := pass(); code != http.StatusOK || strings.Contains(told, `"error"`) {
			t.Errorf("call %d that passes = %d %s, want it answered", i+1, code, told)
		}
	}
	if code, told := ask("GET", "/v1/caller", ""); code != http.StatusOK {
		t.Errorf("GET /v1/caller = %d %s, want 200: the fourth call", code, told)
	}
	if code, told := pass(); !strings.Contains(told, "RATE_LIMITED") {
		t.Errorf("the fifth call, which passes = %d %s, want RATE_LIMITED", code, told)
	}
	if code, told := ask("GET", "/v1/caller", ""); code != http.StatusTooManyRequests || !strings.Contains(told, "RATE_LIMITED") {
		t.Errorf("GET /v1/caller = %d %s, want 429 RATE_LIMITED", code, told)
	}
}
