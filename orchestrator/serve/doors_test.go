package serve_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/auth"
)

// TestOnlyALittleIsOpenToAnybody holds what the operating manual says of callers without a token, whichever package answers.
func TestOnlyALittleIsOpenToAnybody(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	viewer := auth.NewToken("api")
	keys, err := os.ReadFile(c.Auth.KeysFile)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.Auth.KeysFile, string(keys)+auth.KeyLine(viewer, auth.Principal{Name: "eve", Roles: []auth.Role{auth.RoleViewer}})+"\n")
	p := start(t, c)
	ask := func(request string, token auth.Secret) (int, string) {
		t.Helper()
		method, path, _ := strings.Cut(request, " ")
		body := ""
		if method == http.MethodPost {
			body = "{}"
		}
		return call(t, new(http.Client), method, "http://"+p.addr+path, token, body)
	}
	if code, told := call(t, new(http.Client), "POST", "http://"+p.addr+"/v1/agents:register", admin, `{"card":`+fmt.Sprintf(cardOfTalker, "echo", "http://192.0.2.1")+"}"); code != http.StatusOK {
		t.Fatalf("POST /v1/agents:register = %d %s, want 200", code, told)
	}
	for _, open := range []string{
		"GET /", "GET /console/app.js", "GET /healthz", "GET /readyz", "GET /metrics", "GET /openapi.json", "GET /.well-known/agent-card.json", "GET /.well-known/agent.json",
	} {
		if code, told := ask(open, ""); code != http.StatusOK || strings.Contains(told, `"echo"`) {
			t.Errorf("%s without a token = %d %.300s, want 200 without agents", open, code, told)
		}
	}
	for request, want := range map[string]int{ // what a viewer gets
		"GET /v1/agents":                                 http.StatusOK,
		"GET /.well-known/ai-catalog.json":               http.StatusOK,
		"GET /ard/agents":                                http.StatusOK,
		"GET /agents/echo/.well-known/agent-card.json":   http.StatusOK,
		"GET /agents/echo/.well-known/agent.json":        http.StatusOK,
		"GET /a2a/tasks?A2A-Version=1.0":                 http.StatusOK,
		"POST /v1/traces":                                http.StatusForbidden,
		"POST /v1/agents:apply":                          http.StatusForbidden,
		"POST /agents/echo/message:send?A2A-Version=1.0": http.StatusForbidden,
	} {
		if code, told := ask(request, ""); code != http.StatusUnauthorized || !strings.Contains(told, "TOKEN_MISSING") {
			t.Errorf("%s without a token = %d %.300s, want 401 TOKEN_MISSING", request, code, told)
		}
		if code, told := ask(request, viewer); code != want {
			t.Errorf("%s of a viewer = %d %.300s, want %d", request, code, told, want)
		}
	}
}
