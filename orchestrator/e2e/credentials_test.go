package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// guarded is an agent whose every answer, also its card, is for callers with a token.
func guarded(t *testing.T, token string) *httptest.Server {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		answer := `{"jsonrpc":"2.0","id":"1","result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},
			"artifacts":[{"artifactId":"a1","parts":[{"text":"the guarded answer"}]}]}}}`
		if r.Method == http.MethodGet {
			answer = fmt.Sprintf(`{"name":"guarded","description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
				"skills":[{"id":"guard","name":"Guard","description":"Guards","tags":["g"]}],
				"supportedInterfaces":[{"url":%q,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
				"securitySchemes":{"corp":{"httpAuthSecurityScheme":{"scheme":"bearer"}}},"securityRequirements":[{"schemes":{"corp":{"list":[]}}}]}`, s.URL)
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAnAgentThatAsksForACredentialIsShownTheOperators(t *testing.T) {
	t.Parallel()
	const token = "c4n4ry-of-the-operator"
	agent := guarded(t, token)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"token":            token + "\n",
		"credentials.yaml": "credentials:\n- origin: " + agent.URL + "\n  bearer: {token: \"file:" + filepath.Join(dir, "token") + "\"}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q := start(t, dir, "--credentials-file", filepath.Join(dir, "credentials.yaml"), "--log-level", "debug")
	said := q.ok(0, "agents", "register", agent.URL)
	got := q.document(0, "agents", "get", "guarded")
	if status := fmt.Sprint(got["status"]); !strings.Contains(status, "available") {
		t.Errorf("agents get guarded has status %s, want it available: its card could be read", status)
	}
	task := fmt.Sprint(q.document(0, "tasks", "submit", "--agent", "guarded", "--text", "hi", "--watch"))
	if !strings.Contains(task, "TASK_STATE_COMPLETED") || !strings.Contains(task, "the guarded answer") {
		t.Errorf("tasks submit = %s, want what the agent answered", task)
	}
	q.stop()
	for what, text := range map[string]string{"register": said, "agents get": fmt.Sprint(got), "the task": task, "the log": q.stderr.String(), "the banner": q.stdout.String()} {
		if strings.Contains(text, token) {
			t.Errorf("%s shows the secret:\n%s", what, text)
		}
	}
}

func TestWithoutACredentialTheErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	agent := guarded(t, "nobody has it")
	q := start(t, t.TempDir())
	want := "Quorate showed it no credential: an operator can name a file with one for " + agent.URL + " in agents.credentialsFile"
	if a := q.cli("agents", "register", agent.URL); a.exit == 0 || !strings.Contains(a.stderr, "CARD_DENIED") || !strings.Contains(a.stderr, want) {
		t.Errorf("agents register = exit %d, %s, want CARD_DENIED with %q", a.exit, a.stderr, want)
	}
	card := fmt.Sprintf(`{"card":{"name":"guarded","description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[],"supportedInterfaces":[{"url":%q,"protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"securitySchemes":{"corp":{"httpAuthSecurityScheme":{"scheme":"bearer"}}}}}`, agent.URL)
	if code, m := q.rest("POST", "/v1/agents:register", card); code != http.StatusOK {
		t.Fatalf("register = %d %v, want 200", code, m)
	}
	if code, m := q.rest("POST", "/v1/agents/guarded:heartbeat", `{"status":"available"}`); code != http.StatusOK {
		t.Fatalf("heartbeat = %d %v, want 200", code, m)
	}
	a := q.cli("tasks", "submit", "--agent", "guarded", "--text", "hi", "--watch")
	if said := a.stdout + a.stderr; a.exit != 7 || !strings.Contains(said, "AGENT_DENIED") || !strings.Contains(said, want+`; its card asks for "corp" (http "bearer")`) {
		t.Errorf("tasks submit = exit %d, %s, want the task failed with AGENT_DENIED and %q", a.exit, said, want)
	}
}
