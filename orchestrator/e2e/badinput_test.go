package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInputGetsAClearErrorAndLosesNothing(t *testing.T) {
	q := start(t, t.TempDir())
	cardFile := func(name string) string { return writeCard(t, t.TempDir(), name) }
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closedPort := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args []string
		exit int
		says []string
	}{
		"a card URL that answers HTML": {[]string{"agents", "register", q.ports.DemoSite + "/article"}, 6, []string{"HTML", "/article"}},
		"a card URL with nobody there": {[]string{"agents", "register", closedPort + "/card.json"}, 9, []string{closedPort}},
		"a name with a space":          {[]string{"agents", "register", "-f", cardFile("two words")}, 6, []string{"two words", "name"}},
		"a duplicate name":             {[]string{"agents", "register", "-f", cardFile("reviewer")}, 5, []string{"reviewer", "AGENT_EXISTS"}},
		"an unknown agent":             {[]string{"tasks", "submit", "--agent", "nobody", "--text", "hi"}, 3, []string{"nobody", "AGENT_NOT_FOUND"}},
		"an unknown skill":             {[]string{"tasks", "submit", "--skill", "juggle", "--text", "hi"}, 3, []string{"juggle", "SKILL_NOT_FOUND"}},
		"an unknown task":              {[]string{"tasks", "get", "nosuchtask"}, 3, []string{"nosuchtask"}},
		"an unknown requirement":       {[]string{"consultations", "request", "nosuchtask", "--requirement", "r"}, 3, []string{"nosuchtask"}},
		"two routes at once":           {[]string{"tasks", "submit", "--agent", "a", "--skill", "b", "--text", "hi"}, 2, []string{"agent", "skill"}},
		"a verb that does not exist":   {[]string{"agents", "lst"}, 2, []string{"lst", "list"}},
		"a flag that does not exist":   {[]string{"agents", "list", "--sort"}, 2, []string{"--sort"}},
		"a page that is not allowed":   {[]string{"tasks", "submit", "--agent", "web-fetch", "--text", "Fetch https://example.com/", "--watch"}, 7, []string{"DOMAIN_NOT_ALLOWED"}},
		"a task without a URL":         {[]string{"tasks", "submit", "--agent", "web-fetch", "--text", "Fetch it", "--watch"}, 7, []string{"URL"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := q.cli(tt.args...)
			if a.exit != tt.exit {
				t.Errorf("quorate %s: exit %d, want %d\n%s%s", strings.Join(tt.args, " "), a.exit, tt.exit, a.stdout, a.stderr)
			}
			for _, want := range tt.says {
				if !strings.Contains(a.stdout+a.stderr, want) {
					t.Errorf("quorate %s does not say %q:\n%s%s", strings.Join(tt.args, " "), want, a.stdout, a.stderr)
				}
			}
		})
	}
	q.postWithoutType("/v1/tasks")
	q.until("the log tells of a request whose type is empty", func() bool { return strings.Contains(q.stderr.String(), "no media type") })
	for line := range strings.Lines(q.stderr.String()) {
		if !strings.Contains(line, " level=") {
			t.Errorf("quorate dev logs %q, want every line in the one form", line)
		}
	}
	if agents := list(q.document(0, "agents", "list")["agents"]); len(agents) != 2 {
		t.Errorf("after the bad input there are %d agents, want the 2 that were there", len(agents))
	}
}

// writeCard writes the card of an agent that is not there to a file in dir.
func writeCard(t *testing.T, dir, name string) string {
	t.Helper()
	file := filepath.Join(dir, "card.json")
	card := map[string]any{
		"name": name, "description": "d", "version": "1.0.0", "capabilities": map[string]any{}, "skills": []any{},
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
		"supportedInterfaces": []any{map[string]any{"url": "http://127.0.0.1:8099", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
	}
	b, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBadRequestsAreRefusedByREST(t *testing.T) {
	q := start(t, t.TempDir())
	task := func(extra string) io.Reader {
		return strings.NewReader(`{"message":{"parts":[{"text":"hi"}]},"route":{"agent":"web-fetch"}` + extra + `}`)
	}
	tests := map[string]struct {
		method, path string
		body         io.Reader
		token        string
		code         int
		says         string
	}{
		"an unknown field":           {"POST", "/v1/tasks", task(`,"prioritty":1`), q.token(), 400, "prioritty"},
		"an unknown nested field":    {"POST", "/v1/agents:register", strings.NewReader(`{"card":{},"metadata":{"consultationRule":[]}}`), q.token(), 400, "consultationRule"},
		"an unknown query parameter": {"GET", "/v1/agents?bogus=1", nil, q.token(), 400, "bogus"},
		"a body that is no JSON":     {"POST", "/v1/tasks", strings.NewReader(`{"message":`), q.token(), 400, ""},
		"a body of 20 MB":            {"POST", "/v1/tasks", bytes.NewReader(bytes.Repeat([]byte("x"), 20<<20)), q.token(), 413, "larger"},
		"a message over the limit":   {"POST", "/v1/tasks", strings.NewReader(`{"message":{"parts":[{"text":"` + strings.Repeat("x", 1<<20) + `"}]},"route":{"agent":"web-fetch"}}`), q.token(), 400, "ITEM_TOO_LARGE"},
		"the wrong method":           {"DELETE", "/v1/tasks", nil, q.token(), 405, ""},
		"an unknown path":            {"GET", "/v1/nothing", nil, q.token(), 404, ""},
		"no token":                   {"GET", "/v1/agents", nil, "", 401, ""},
		"a wrong token":              {"GET", "/v1/agents", nil, "quorate_dev_nonsense", 401, ""},
		"a negative page size":       {"GET", "/v1/agents?pageSize=-1", nil, q.token(), 400, "page_size"},
		"a forged page token":        {"GET", "/v1/tasks?pageToken=AAAA", nil, q.token(), 400, "PAGE_TOKEN_INVALID"},
		"a request id with a space":  {"POST", "/v1/tasks", task(`,"requestId":"a b"`), q.token(), 400, "must be at most 64 letters"},
		"a skill id with a slash":    {"GET", "/v1/skills/a%2Fb/agents", nil, q.token(), 200, `"agents":[]`},
		"an agent that cannot exist": {"GET", "/v1/agents/a%20b", nil, q.token(), 404, "AGENT_NOT_FOUND"},
		"a route to nowhere":         {"POST", "/v1/tasks", strings.NewReader(`{"message":{"parts":[{"text":"hi"}]},"route":{}}`), q.token(), 400, "route"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, body, header := q.http(tt.method, tt.path, tt.body, tt.token)
			if code != tt.code || !strings.Contains(string(body), tt.says) {
				t.Errorf("%s %s = %d %s, want %d and %q", tt.method, tt.path, code, body, tt.code, tt.says)
			}
			if !json.Valid(body) || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
				t.Errorf("%s %s answered %s (%s), want JSON", tt.method, tt.path, body, header.Get("Content-Type"))
			}
			if code == 405 && header.Get("Allow") == "" || code == 401 && header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s = %d without the header that goes with it: %v", tt.method, tt.path, code, header)
			}
		})
	}
	if tasks := list(q.document(0, "tasks", "list")["tasks"]); len(tasks) != 0 {
		t.Errorf("the refused requests left %d tasks", len(tasks))
	}
}

// postWithoutType sends a request whose Content-Type is empty, which is a complaint of grpc-gateway's.
func (i *instance) postWithoutType(path string) {
	i.t.Helper()
	req, err := http.NewRequestWithContext(i.t.Context(), http.MethodPost, i.ports.HTTP+path, strings.NewReader("{}"))
	if err != nil {
		i.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "")
	req.Header.Set("Authorization", "Bearer "+i.token())
	answer, err := new(http.Client).Do(req)
	if err != nil {
		i.t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		i.t.Error(err)
	}
}
