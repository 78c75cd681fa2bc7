package agentclient_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry/agentcard"
)

// guarded is an agent that lets in who has the token good, and tells everybody what they have shown, which no agent should.
type guarded struct {
	a2apb.UnimplementedA2AServiceServer

	denied atomic.Int64
	shown  atomic.Pointer[string] // what it was shown last
}

func (g *guarded) lets(shown string) bool {
	g.shown.Store(&shown)
	if shown != "Bearer good-secret" {
		g.denied.Add(1)
		return false
	}
	return true
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if shown := r.Header.Get("Authorization"); !g.lets(shown) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, "not with %q", shown)
		return
	}
	open{}.ServeHTTP(w, r)
}

// open is an agent that lets everybody in.
type open struct {
	a2apb.UnimplementedA2AServiceServer
}

func (open) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	answer := `{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hello"}]}}`
	switch {
	case strings.Contains(string(body), `"message/send"`):
		answer = `{"jsonrpc":"2.0","id":"1","result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hello"}]}}`
	case strings.Contains(string(body), `"jsonrpc"`):
		answer = `{"jsonrpc":"2.0","id":"1","result":` + answer + `}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}

func (g *guarded) check(ctx context.Context) error {
	md, _ := metadata.FromIncomingContext(ctx)
	if shown := strings.Join(md.Get("authorization"), ","); !g.lets(shown) {
		return status.Errorf(codes.Unauthenticated, "not with %q", shown)
	}
	return nil
}

var hello = &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hello"}}}}

func (open) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Message{Message: hello}}, nil
}

func (g *guarded) SendMessage(ctx context.Context, _ *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Message{Message: hello}}, g.check(ctx)
}

func (g *guarded) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if err := g.check(s.Context()); err != nil {
		return err
	}
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: hello}})
}

// interfaces serves the agent and returns where, by binding.
func (g *guarded) interfaces(t *testing.T) map[string]agentcard.Interface {
	t.Helper()
	h := httptest.NewServer(g)
	t.Cleanup(h.Close)
	return map[string]agentcard.Interface{
		agentcard.BindingGRPC:     {URL: serveGRPC(t, g), Binding: agentcard.BindingGRPC},
		agentcard.BindingJSONRPC:  {URL: h.URL, Binding: agentcard.BindingJSONRPC},
		agentcard.BindingHTTPJSON: {URL: h.URL, Binding: agentcard.BindingHTTPJSON},
		"0.3":                     {URL: h.URL, Binding: agentcard.BindingJSONRPC, ProtocolVersion: "0.3.0"},
	}
}

func origin(in agentcard.Interface) string { return "http://" + strings.TrimPrefix(in.URL, "http://") }

// showing returns a pool that shows a token in a file to an origin.
func showing(t *testing.T, origin, tokenFile string) *agentclient.Pool {
	t.Helper()
	return showingWhat(t, "{origin: '"+origin+"', bearer: {token: 'file:"+tokenFile+"'}}")
}

// showingWhat returns a pool that shows what an entry says.
func showingWhat(t *testing.T, entry string) *agentclient.Pool {
	t.Helper()
	file := writeFile(t, filepath.Join(t.TempDir(), "credentials.yaml"), "credentials: ["+entry+"]")
	guard := &netguard.Policy{AllowLoopback: true}
	c, err := agentauth.Open(agentauth.Config{File: file, Setting: "agents.credentialsFile", Policy: guard, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), c)
	t.Cleanup(p.Close)
	return p
}

func writeFile(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// send asks the agent and returns what it says, by the engine's way.
func send(t *testing.T, p *agentclient.Pool, stream bool, card agentcard.Card) (said string, err error) {
	t.Helper()
	c, _, err := p.Connect("guarded", card)
	if err != nil {
		t.Fatalf("Connect() = %v, want no error", err)
	}
	err = c.Send(t.Context(), message("m", "hi"), stream, func(r *a2apb.StreamResponse) error {
		said = r.GetMessage().GetParts()[0].GetText()
		return nil
	})
	return said, err
}

// pass asks the agent by a passage.
func pass(t *testing.T, p *agentclient.Pool, stream bool, card agentcard.Card) error {
	t.Helper()
	if way := p.PassageOverJSONRPC("guarded", &card); way != nil {
		resp, err := way.Post(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`), "application/json")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = way.ReadAnswer(t.Context(), resp)
		return err
	}
	way := p.PassageOverGRPC("guarded", &card)
	if way == nil {
		return nil
	}
	if stream {
		return way.Stream(t.Context(), a2apb.A2AService_SendStreamingMessage_FullMethodName, &emptypb.Empty{}, func() {}, func(*emptypb.Empty) error { return nil })
	}
	_, err := way.Invoke(t.Context(), a2apb.A2AService_SendMessage_FullMethodName, &emptypb.Empty{})
	return err
}

func TestAnAgentIsShownTheCredentialForItsOriginOverEveryBinding(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	token := writeFile(t, filepath.Join(t.TempDir(), "token"), "good-secret")
	for name, in := range g.interfaces(t) {
		card := agentcard.Card{Interfaces: []agentcard.Interface{in}}
		p := showing(t, origin(in), token)
		for _, stream := range []bool{false, true} {
			said, err := send(t, p, stream, card)
			if ok := err == nil && said == "hello"; !ok && (name != "0.3" || !stream) { // the 0.3 agent here does not stream
				t.Errorf("Send(stream %t) over %s = %q, %v, want hello", stream, name, said, err)
			}
			if err := pass(t, p, stream, card); err != nil {
				t.Errorf("passage (stream %t) over %s = %v, want no error", stream, name, err)
			}
		}
	}
	if n := g.denied.Load(); n != 0 {
		t.Errorf("the agent denied %d calls, want none", n)
	}
}

// TestAnOriginThatACardChangesToIsShownNothing is threat T6: a card that was approved names another server later.
func TestAnOriginThatACardChangesToIsShownNothing(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	token := writeFile(t, filepath.Join(t.TempDir(), "token"), "good-secret")
	for name, in := range g.interfaces(t) {
		card := agentcard.Card{Interfaces: []agentcard.Interface{in}, Security: []agentcard.SecurityScheme{{Name: "corp", Kind: agentcard.SecurityHTTP, Scheme: "bearer"}}}
		p := showing(t, "http://127.0.0.1:1", token) // where the card said before
		for way, call := range map[string]func() error{
			"Send": func() error { _, err := send(t, p, false, card); return err }, "a stream": func() error { _, err := send(t, p, true, card); return err },
			"a passage": func() error { return pass(t, p, false, card) }, "a passage's stream": func() error { return pass(t, p, true, card) },
		} {
			g.shown.Store(new("nothing"))
			err := call()
			if err == nil && *g.shown.Load() == "nothing" {
				continue // there is no such passage
			}
			want := `Quorate showed it no credential: the file of agents.credentialsFile has no entry for ` + origin(in) + `; its card asks for "corp" (http "bearer")`
			if *g.shown.Load() != "" || fault.ReasonOf(err) != agentclient.ReasonDenied || !strings.Contains(err.Error(), want) {
				t.Errorf("%s over %s = %v and showed %q, want %s with %q, and nothing shown", way, name, err, *g.shown.Load(), agentclient.ReasonDenied, want)
			}
		}
	}
}

func TestAnAgentThatDeniesIsToldOfWithoutWhatItWasShown(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	token := writeFile(t, filepath.Join(t.TempDir(), "token"), "wrong-secret")
	for name, in := range g.interfaces(t) {
		p := showing(t, origin(in), token)
		for says, schemes := range map[string][]agentcard.SecurityScheme{
			"which may be wrong or not be allowed this":          {{Name: "corp", Kind: agentcard.SecurityOAuth2}},
			`but its card asks for "k" (apiKey in "header", nam`: {{Name: "k", Kind: agentcard.SecurityAPIKey, In: "header", Parameter: "X-Key"}},
		} {
			card := agentcard.Card{Interfaces: []agentcard.Interface{in}, Security: schemes}
			_, sent := send(t, p, false, card)
			for way, err := range map[string]error{"Send": sent, "a passage": pass(t, p, false, card)} {
				if err == nil && name != agentcard.BindingJSONRPC && name != agentcard.BindingGRPC {
					continue // there is no such passage
				}
				want := "Quorate showed it the bearer of agents.credentialsFile for " + origin(in) + ", " + says
				if fault.ReasonOf(err) != agentclient.ReasonDenied || !strings.Contains(err.Error(), want) {
					t.Errorf("%s over %s = %v, want %s with %q", way, name, err, agentclient.ReasonDenied, want)
				}
				if strings.Contains(err.Error(), "wrong-secret") {
					t.Errorf("%s over %s = %v, which shows the secret", way, name, err)
				}
			}
		}
	}
}

func TestARenewedTokenIsShownOverEveryBinding(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	for name, in := range g.interfaces(t) {
		token := writeFile(t, filepath.Join(t.TempDir(), "token"), "old-secret")
		card := agentcard.Card{Interfaces: []agentcard.Interface{in}}
		p := showing(t, origin(in), token)
		if _, err := send(t, p, false, card); agentclient.Retryable(err) {
			t.Errorf("Send() with an old token over %s = %v, want what is not tried again: there is nothing newer", name, err)
		}
		writeFile(t, token, "good-secret")
		_, err := send(t, p, false, card)
		if name == agentcard.BindingGRPC { // an agent that was called over gRPC may have begun to work: the engine decides
			if !agentclient.Retryable(err) {
				t.Errorf("Send() over GRPC = %v, want what may be tried again", err)
			}
			_, err = send(t, p, false, card)
		}
		if err != nil {
			t.Errorf("Send() with a renewed token over %s = %v, want no error", name, err)
		}
	}
}

// TestATokenThatACallWaitedForIsNoNewerOne has each first call ask the token endpoint: that the agent denies it is final.
func TestATokenThatACallWaitedForIsNoNewerOne(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"wrong-secret","token_type":"Bearer"}`)
	}))
	t.Cleanup(endpoint.Close)
	g := &guarded{}
	secret := writeFile(t, filepath.Join(t.TempDir(), "secret"), "s")
	for name, in := range g.interfaces(t) {
		card := agentcard.Card{Interfaces: []agentcard.Interface{in}}
		entry := "{origin: '" + origin(in) + "', oauth2: {tokenURL: '" + endpoint.URL + "', clientID: q, clientSecret: 'file:" + secret + "'}}"
		for way, call := range map[string]func(p *agentclient.Pool) error{
			"Send":      func(p *agentclient.Pool) error { _, err := send(t, p, false, card); return err },
			"a passage": func(p *agentclient.Pool) error { return pass(t, p, false, card) }, "a passage's stream": func(p *agentclient.Pool) error { return pass(t, p, true, card) },
		} {
			g.denied.Store(0)
			err := call(showingWhat(t, entry))
			if err == nil && g.denied.Load() == 0 {
				continue // there is no such passage
			}
			if fault.ReasonOf(err) != agentclient.ReasonDenied || g.denied.Load() != 1 {
				t.Errorf("%s over %s = %v after %d denials, want %s after one", way, name, err, g.denied.Load(), agentclient.ReasonDenied)
			}
		}
	}
}
