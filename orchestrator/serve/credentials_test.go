package serve_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/platform/fault"
)

// canaries are secrets that only an agent and its token endpoint may see.
var canaries = []string{"c4n4ry-token", "c4n4ry-key", "c4n4ry-client", "c4n4ry-issued"}

// collector is an OTLP receiver that keeps what it is sent as it came.
type collector struct {
	mu  sync.Mutex
	all strings.Builder // guarded by mu
}

func (c *collector) start(t *testing.T) (url string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		raw := &emptypb.Empty{}
		if err := stream.RecvMsg(raw); err != nil {
			return err
		}
		c.mu.Lock()
		c.all.Write(raw.ProtoReflect().GetUnknown())
		c.mu.Unlock()
		return stream.SendMsg(&emptypb.Empty{})
	}))
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return "http://" + l.Addr().String()
}

func (c *collector) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all.String()
}

// rude is an agent that denies every message and repeats what it was shown. The card of token is for who has its credential, those of the others for everybody; at /token is a token endpoint.
func rude(t *testing.T, name string) (url string, shown func() string) {
	t.Helper()
	var mu sync.Mutex
	var last string
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/token":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":"c4n4ry-issued","token_type":"Bearer","expires_in":600}`)
		case r.Method == http.MethodGet && name == "token" && r.Header.Get("Authorization") != "Bearer c4n4ry-token":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodGet:
			_, _ = fmt.Fprintf(w, `{"name":%q,"description":"d","version":"1.0.0","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
				"skills":[],"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, name, s.URL)
		default:
			mu.Lock()
			last = r.Header.Get("Authorization") + r.URL.RawQuery
			mu.Unlock()
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, "not with %s %s", r.Header.Get("Authorization"), r.URL)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

func TestNothingButTheAgentSeesItsCredential(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := func(text string) string { return "file:" + write(t, filepath.Join(dir, text), text) }
	tokenOf, shownToken := rude(t, "token")
	keyOf, shownKey := rude(t, "key")
	oauthOf, shownIssued := rude(t, "oauth")
	var spans collector
	c, admin := config(t)
	c.Agents.AllowLoopback = true
	c.Telemetry = serve.Telemetry{LogLevel: "debug", LogFormat: "json", OTLPEndpoint: spans.start(t), TraceRatio: 1}
	c.Agents.CredentialsFile = write(t, filepath.Join(dir, "credentials.yaml"), fmt.Sprintf(`credentials:
- {origin: %q, bearer: {token: %q}}
- {origin: %q, apiKey: {in: query, name: key, value: %q}}
- {origin: %q, oauth2: {tokenURL: "%s/token", clientID: quorate, clientSecret: %q}}
`, tokenOf, secret("c4n4ry-token"), keyOf, secret("c4n4ry-key"), oauthOf, oauthOf, secret("c4n4ry-client")))
	p := start(t, c)

	var answers strings.Builder
	ask := func(method, path, body string) string {
		code, answer := call(t, new(http.Client), method, "http://"+p.addr+path, admin, body)
		if code != http.StatusOK {
			t.Fatalf("%s %s = %d %s, want 200", method, path, code, answer)
		}
		answers.WriteString(answer)
		return answer
	}
	for name, url := range map[string]string{"token": tokenOf, "key": keyOf, "oauth": oauthOf} {
		ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, url))
		var accepted task
		body := fmt.Sprintf(`{"route":{"agent":%q},"message":{"parts":[{"text":"hi"}]}}`, name)
		if err := json.Unmarshal([]byte(ask("POST", "/v1/tasks", body)), &accepted); err != nil {
			t.Fatal(err)
		}
		if got := p.ended(t, admin, accepted.ID); got.State != "TASK_STATE_FAILED" {
			t.Errorf("the task of %s is %s, want it failed", name, got.State)
		}
		if told := ask("GET", "/v1/tasks/"+accepted.ID, ""); !strings.Contains(told, "[redacted]") {
			t.Errorf("the task of %s is told as %s, want the agent's answer without what it was shown", name, told)
		}
		ask("GET", "/v1/agents/"+name, "")
	}
	ask("GET", "/metrics", "")
	for want, got := range map[string]string{"Bearer c4n4ry-token": shownToken(), "key=c4n4ry-key": shownKey(), "Bearer c4n4ry-issued": shownIssued()} {
		if got != want {
			t.Errorf("the agent was shown %q, want %q", got, want)
		}
	}
	if err := p.stop(); err != nil {
		t.Errorf("Run() = %v, want no error", err)
	}
	if !strings.Contains(spans.String(), "quorate") {
		t.Error("no span came, want some to look at")
	}
	for what, text := range map[string]string{"the log": p.log.String(), "an answer": answers.String(), "a span": spans.String()} {
		for _, canary := range canaries {
			if strings.Contains(text, canary) {
				t.Errorf("%s shows %s:\n%s", what, canary, text)
			}
		}
	}
}

func TestCredentialsThatCannotBeAppliedKeepServeFromStarting(t *testing.T) {
	t.Parallel()
	c, _ := config(t)
	c.Agents.CredentialsFile = write(t, filepath.Join(t.TempDir(), "credentials.yaml"), "credentials: [{origin: 'http://agents.example', bearer: {token: 'env:PATH'}}]")
	err := serve.Run(t.Context(), c, "0.0.0", io.Discard)
	if fault.ReasonOf(err) != "CREDENTIALS_INVALID" || !strings.Contains(err.Error(), "entry 1 (http://agents.example): ") {
		t.Errorf("Run() = %v, want CREDENTIALS_INVALID with the entry", err)
	}
}
