package serve_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/auth"
)

// TestASettingMakesADifference asks a server with the usual settings and one with others the same.
func TestASettingMakesADifference(t *testing.T) {
	t.Parallel()
	found := talker(t, "found")
	usual := startWith(t, func(*serve.Config) {})
	other := startWith(t, func(c *serve.Config) {
		c.HTTP.PublicURL, c.HTTP.AllowedHosts, c.GRPC.PublicAddr = "https://quorate.example/here", []string{"alias.example"}, "quorate.example:443"
		c.Agents.AllowOrigins = []string{strings.TrimPrefix(found, "http://")}
		c.Agents.Strict, c.Agents.CardChanges = true, "confirm"
	})
	card := func(name, url string) string { return `{"card":` + fmt.Sprintf(cardOfTalker, name, url) }
	for name, test := range map[string]struct {
		host, path, body string // without a body it is a GET
		mover            bool   // the agent mover asks, not an admin
		usual, other     string // parts of the answers
	}{
		"http.publicURL in a card":      {path: "/.well-known/agent-card.json", usual: `http://` + usual.addr, other: `https://quorate.example/here`},
		"http.publicURL in the catalog": {path: "/.well-known/ai-catalog.json", usual: `http://` + usual.addr, other: `https://quorate.example/here`},
		"http.publicURL as a host":      {host: "quorate.example", path: "/healthz", usual: "HOST_DENIED", other: "alive"},
		"http.allowedHosts":             {host: "alias.example", path: "/healthz", usual: "HOST_DENIED", other: "alive"},
		"grpc.publicAddr":               {path: "/.well-known/agent-card.json", usual: `"` + usual.grpc, other: `"quorate.example:443"`},
		"agents.allowOrigins":           {path: "/v1/agents:register", body: fmt.Sprintf(`{"cardUri":%q}`, found), usual: "ADDRESS_BLOCKED", other: `"found"`},
		"agents.strict": {
			path: "/v1/agents:register", body: card("coder", "http://192.0.2.1") + `,"metadata":{"consultationRequirements":[{"id":"r","targetAgent":"nobody","phase":"pre-execution","mandatory":true}]}}`,
			usual: `"warnings"`, other: `"reason":"TARGET_AGENT_UNKNOWN"`,
		},
		"agents.cardChanges": {path: "/v1/agents:apply", body: card("mover", "http://192.0.2.2") + "}", mover: true, usual: `"outcome":"replaced"`, other: `"pendingChange"`},
	} {
		for _, at := range []struct {
			*settled
			want, not string
		}{{usual, test.usual, test.other}, {other, test.other, test.usual}} {
			got := at.answer(t, test.host, test.path, test.body, test.mover)
			if got = strings.ReplaceAll(got, `": "`, `":"`); !strings.Contains(got, at.want) || strings.Contains(got, at.not) {
				t.Errorf("%s: %s = %s, want %s in it, and not %s", name, test.path, got, at.want, at.not)
			}
		}
	}
}

// settled is a server that knows the agent mover, which has a key of its own.
type settled struct {
	*process
	admin, mover auth.Secret
}

func startWith(t *testing.T, change func(*serve.Config)) *settled {
	t.Helper()
	c, admin := config(t)
	mover := auth.NewToken("api")
	keys, err := os.ReadFile(c.Auth.KeysFile)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.Auth.KeysFile, string(keys)+auth.KeyLine(mover, auth.Principal{Name: "mover", Roles: []auth.Role{auth.RoleAgent}})+"\n")
	change(&c)
	s := &settled{start(t, c), admin, mover}
	if got := s.answer(t, "", "/v1/agents:register", `{"card":`+fmt.Sprintf(cardOfTalker, "mover", "http://192.0.2.1")+"}", false); !strings.Contains(got, `"mover"`) {
		t.Fatalf("POST /v1/agents:register = %s, want it registered", got)
	}
	return s
}

// answer asks for a path, under the name of another host if one is given.
func (s *settled) answer(t *testing.T, host, path, body string, mover bool) string {
	t.Helper()
	method, token := http.MethodPost, s.admin
	if body == "" {
		method = http.MethodGet
	}
	if mover {
		token = s.mover
	}
	_, got := call(t, &http.Client{Transport: toHost(host)}, method, "http://"+s.addr+path, token, body)
	return got
}

// toHost is the host that requests are for, if it is not empty.
type toHost string

// RoundTrip implements http.RoundTripper.
func (host toHost) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = string(host)
	return http.DefaultTransport.RoundTrip(r)
}

// TestAgentsComeFromTheConfiguredSources has a list, a folder and a catalog name one each.
func TestAgentsComeFromTheConfiguredSources(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "card.json"), fmt.Sprintf(cardOfTalker, "filed", "http://192.0.2.1"))
	catalog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"specVersion":"1.0","entries":[{"identifier":"x","type":"application/a2a-agent-card+json","data":`+cardOfTalker+`}]}`, "cataloged", "http://192.0.2.1")
	}))
	t.Cleanup(catalog.Close)
	s := startWith(t, func(c *serve.Config) {
		c.Agents.AllowLoopback = true
		c.Agents.CardURLs, c.Agents.CardFolder, c.Agents.Catalogs = []string{talker(t, "listed")}, folder, []string{catalog.URL}
	})
	for _, name := range []string{"listed", "filed", "cataloged"} {
		await(t, "agent "+name, func() (string, bool) {
			got := s.answer(t, "", "/v1/agents/"+name, "", false)
			return got, strings.Contains(got, `"createTime"`)
		})
	}
}

// TestUnsignedCardsAreNotUsedOnceSignaturesAreRequired restarts a server that has taken one.
func TestUnsignedCardsAreNotUsedOnceSignaturesAreRequired(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback, c.Agents.PassThrough = true, []string{"echo"}
	p := start(t, c)
	card := fmt.Sprintf(`{"cardUri":%q}`, talker(t, "echo"))
	if code, told := call(t, new(http.Client), "POST", "http://"+p.addr+"/v1/agents:register", admin, card); code != http.StatusOK {
		t.Fatalf("POST /v1/agents:register = %d %s, want 200", code, told)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	c.Agents.Signatures = "require"
	p = start(t, c)
	for _, test := range []struct{ path, body, want string }{
		{"/v1/agents:apply", card, "CARD_SIGNATURE_REQUIRED"},
		{"/v1/routes:resolve", `{"route":{"agent":"echo"}}`, "CARD_UNTRUSTED"},
		{"/agents/echo?A2A-Version=1.0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`, "its card is not signed"},
	} {
		if _, told := call(t, new(http.Client), "POST", "http://"+p.addr+test.path, admin, test.body); !strings.Contains(told, test.want) {
			t.Errorf("POST %s = %s, want %s", test.path, told, test.want)
		}
	}
}
