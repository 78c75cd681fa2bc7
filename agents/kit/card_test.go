package kit_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// reply is an HTTP answer that was read.
type reply struct {
	code   int
	header http.Header
	body   string
}

func fetch(t *testing.T, method, url string, header http.Header, body io.Reader) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatalf("NewRequest(%s) = %v, want a request", url, err)
	}
	if header != nil {
		r.Header = header
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatalf("%s %s = %v, want an answer", method, url, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("reading the answer of %s %s = %v, want nil", method, url, err)
	}
	return reply{answer.StatusCode, answer.Header, string(content)}
}

func TestTheCardTellsWhatTheAgentIs(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{
		Name: "writer", Handler: echo,
		Skills: []kit.Skill{{ID: "write", Name: "Write", Description: "Writes."}},
		Metadata: &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{
			Id: "r1", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: new(true),
		}}},
	})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	card, err := agentcard.NewResolver(&http.Client{Transport: transport}).Resolve(t.Context(), agent.URL())
	if err != nil {
		t.Fatalf("Resolve(%s) = %v, want the card", agent.URL(), err)
	}
	address := strings.TrimPrefix(agent.URL(), "http://")
	want := []string{"GRPC " + address, "JSONRPC " + agent.URL() + "/", "HTTP+JSON " + agent.URL() + "/rest"}
	for i, got := range card.SupportedInterfaces {
		if s := string(got.ProtocolBinding) + " " + got.URL; s != want[i] || got.ProtocolVersion != a2a.Version {
			t.Errorf("card interface %d = %s version %s, want %s version %s", i, s, got.ProtocolVersion, want[i], a2a.Version)
		}
	}
	if card.Name != "writer" || len(card.Skills) != 1 || card.Skills[0].ID != "write" || !card.Capabilities.Streaming {
		t.Errorf("card = %+v, want writer with the skill write and streaming", card)
	}
	params := map[string]any{}
	for _, e := range card.Capabilities.Extensions {
		params[e.URI] = e.Params
	}
	got, err := json.Marshal(params)
	wantParams := `{"` + kit.ConsultationExtension + `":{"deduplicates":true},"` + kit.ContractExtension +
		`":{"consultationRequirements":[{"id":"r1","mandatory":true,"phase":"pre-completion","targetAgent":"reviewer"}]}}`
	if err != nil || string(got) != wantParams {
		t.Errorf("card extensions = %s, %v, want %s", got, err, wantParams)
	}
}

func TestTheCardCanBeCached(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	first := fetch(t, http.MethodGet, agent.CardURL(), nil, nil)
	etag := first.header.Get("ETag")
	if first.code != http.StatusOK || etag == "" || !strings.Contains(first.header.Get("Cache-Control"), "max-age=") || first.header.Get("Last-Modified") == "" {
		t.Errorf("GET card = %d %v, want 200 with ETag, Cache-Control and Last-Modified", first.code, first.header)
	}
	again := fetch(t, http.MethodGet, agent.CardURL(), http.Header{"If-None-Match": {etag}}, nil)
	if again.code != http.StatusNotModified || again.body != "" {
		t.Errorf("GET card with its ETag = %d with %d bytes, want 304 and none", again.code, len(again.body))
	}
}

func TestThePublicURLDecidesWhatTheCardOffers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		public string
		want   string // the first interface; empty when New refuses
	}{
		"plain http":             {"http://agents.example.com:9000/", "GRPC agents.example.com:9000"},
		"no port":                {"http://agents.example.com", "GRPC agents.example.com:80"},
		"TLS offers no gRPC":     {"https://agents.example.com", "JSONRPC https://agents.example.com/"},
		"a prefix offers no rpc": {"http://example.com/agents/a", "JSONRPC http://example.com/agents/a/"},
		"another scheme":         {"ftp://example.com", ""},
		"a user":                 {"http://me@example.com", ""},
		"no host":                {"http:///x", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := listen(t)
			defer listener.Close() //nolint:errcheck // the test is over
			agent, err := kit.New(kit.Config{Name: "a", Description: "d", Version: "1.0.0", Handler: echo, Listener: listener, PublicURL: test.public})
			if test.want == "" {
				if fault.ReasonOf(err) != "AGENT_CONFIG_INVALID" {
					t.Errorf("New(PublicURL %q) = %v, want AGENT_CONFIG_INVALID", test.public, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("New(PublicURL %q) = %v, want an agent", test.public, err)
			}
			first := agent.Card().SupportedInterfaces[0]
			if got := string(first.ProtocolBinding) + " " + first.URL; got != test.want {
				t.Errorf("first interface of %q = %s, want %s", test.public, got, test.want)
			}
		})
	}
}

func TestHostileRequestsAreRefused(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo})
	long := bytes.Repeat([]byte("x"), 20<<20)
	tests := map[string]struct {
		method, path string
		header       http.Header
		body         io.Reader
		want         int
	}{
		"a body that is too long":       {http.MethodPost, "/", nil, bytes.NewReader(long), http.StatusRequestEntityTooLarge},
		"a page in a browser":           {http.MethodPost, "/", http.Header{"Sec-Fetch-Site": {"cross-site"}}, strings.NewReader("{}"), http.StatusForbidden},
		"an unknown path":               {http.MethodGet, "/admin", nil, nil, http.StatusNotFound},
		"a wrong method":                {http.MethodDelete, "/.well-known/agent-card.json", nil, nil, http.StatusMethodNotAllowed},
		"a chunked body without an end": {http.MethodPost, "/rest/message:send", nil, io.MultiReader(strings.NewReader(`{"message":"`), bytes.NewReader(long)), http.StatusBadRequest},
		"another version in the query":  {http.MethodGet, "/rest/tasks/x?A2A-Version=0.1", nil, nil, http.StatusBadRequest},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := fetch(t, test.method, agent.URL()+test.path, test.header, test.body); got.code != test.want {
				t.Errorf("%s %s = %d %.200s, want %d", test.method, test.path, got.code, got.body, test.want)
			}
		})
	}
}

func TestNewRefusesAnIncompleteConfig(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	t.Cleanup(func() { _ = listener.Close() })
	whole := kit.Config{Name: "a", Description: "d", Version: "1.0.0", Handler: echo, Listener: listener}
	tests := map[string]func(*kit.Config){
		"no name":                  func(c *kit.Config) { c.Name = "" },
		"no version":               func(c *kit.Config) { c.Version = "" },
		"no listener":              func(c *kit.Config) { c.Listener = nil },
		"no handler and reviewer":  func(c *kit.Config) { c.Handler = nil },
		"a server that is no URL":  func(c *kit.Config) { c.Server, c.Token = "localhost:8080", "t" },
		"a server without a token": func(c *kit.Config) { c.Server = "http://localhost" },
		"a token with a line feed": func(c *kit.Config) { c.Server, c.Token = "http://localhost", "a\nb" },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := whole
			spoil(&c)
			if _, err := kit.New(c); fault.KindOf(err) != fault.InvalidArgument || err == nil {
				t.Errorf("New() = %v, want an invalid argument", err)
			}
		})
	}
}
