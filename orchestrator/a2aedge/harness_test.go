package a2aedge_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/orchestrator/dev"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const patience = 30 * time.Second // nothing here takes a second; more means that it hangs

const taskExtension = "https://github.com/quorate/quorate/extensions/task/v1"

var bindings = []a2a.TransportProtocol{a2a.TransportProtocolGRPC, a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON}

// world is dev mode in this process, with an echo agent and one whose deliveries a review stands before.
type world struct {
	ctx   context.Context //nolint:containedctx // the caller's identity goes with it
	http  string
	grpc  string
	token string
	conn  *grpc.ClientConn
	stop  context.CancelFunc // has the server stop before the test ends
}

func newWorld(tb testing.TB, change ...func(*dev.Config)) *world {
	tb.Helper()
	dir := tb.TempDir()
	cfg := dev.DefaultConfig()
	for _, f := range change {
		f(&cfg)
	}
	cfg.HTTP.Addr, cfg.GRPC.Addr, cfg.Webfetch.Addr = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	cfg.Store.DataDir, cfg.PortsFile, cfg.Telemetry.LogLevel = filepath.Join(dir, "data"), filepath.Join(dir, "ports.json"), "error"
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ready := &signal{done: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := dev.Run(ctx, cfg, ready, tb.Output()); err != nil {
			tb.Errorf("Run() = %v", err)
			ready.fire()
		}
	})
	tb.Cleanup(func() { cancel(); wg.Wait() })
	select {
	case <-ready.done:
	case <-time.After(patience):
		tb.Fatal("dev mode is not ready")
	}
	var ports struct{ GRPC, HTTP string }
	if err := json.Unmarshal(readFile(tb, cfg.PortsFile), &ports); err != nil {
		tb.Fatal(err)
	}
	w := &world{http: ports.HTTP, grpc: ports.GRPC, token: strings.TrimSpace(string(readFile(tb, dev.TokenFile(cfg.Store.DataDir)))), stop: cancel}
	w.conn = w.dial(tb)
	var stop context.CancelFunc
	w.ctx, stop = context.WithTimeout(metadata.AppendToOutgoingContext(tb.Context(), "authorization", "Bearer "+w.token), patience)
	tb.Cleanup(stop)
	w.addEcho(tb, "echo", nil)
	w.addEcho(tb, "careful", &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{{
		Id: "review", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: new(true),
		Condition: &registryv1.ConsultationCondition{Attribute: "sensitive", Operator: "equals", Value: structpb.NewBoolValue(true)},
	}}})
	return w
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func (w *world) dial(tb testing.TB, options ...grpc.DialOption) *grpc.ClientConn {
	tb.Helper()
	conn, err := grpc.NewClient(w.grpc, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := conn.Close(); err != nil {
			tb.Error(err)
		}
	})
	return conn
}

// signal fires with the first write: dev mode prints its banner when it is ready.
type signal struct {
	once sync.Once
	done chan struct{}
}

var _ io.Writer = (*signal)(nil)

func (s *signal) Write(p []byte) (int, error) { s.fire(); return len(p), nil }

func (s *signal) fire() { s.once.Do(func() { close(s.done) }) }

// addEcho serves an echo agent under a name and registers it.
func (w *world) addEcho(tb testing.TB, name string, rules *registryv1.AgentMetadata) {
	tb.Helper()
	cfg := echo.New().Config()
	cfg.Name = name
	w.addAgent(tb, cfg, rules)
}

// addAgent serves an agent of the kit and registers it.
func (w *world) addAgent(tb testing.TB, cfg kit.Config, rules *registryv1.AgentMetadata) {
	tb.Helper()
	a := kittest.Start(tb, cfg)
	_, err := registryv1.NewRegistryServiceClient(w.conn).RegisterAgent(w.ctx, &registryv1.RegisterAgentRequest{
		Source: &registryv1.RegisterAgentRequest_CardUri{CardUri: a.CardURL()}, Metadata: rules,
	})
	if err != nil {
		tb.Fatalf("RegisterAgent(%s) = %v", cfg.Name, err)
	}
}

// consult has the reviewer consulted about a task.
func (w *world) consult(t *testing.T, task a2a.TaskID) {
	t.Helper()
	_, err := consultationv1.NewConsultationServiceClient(w.conn).RequestConsultation(w.ctx, &consultationv1.RequestConsultationRequest{
		TaskId: string(task), RequirementId: "review",
	})
	if err != nil {
		t.Fatalf("RequestConsultation(%s) = %v", task, err)
	}
}

// client is a2a-go's own client for the card at a base path, over one binding.
func (w *world) client(t *testing.T, base string, binding a2a.TransportProtocol) *a2aclient.Client {
	t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(w.ctx, w.http+base, agentcard.WithRequestHeader("Authorization", "Bearer "+w.token))
	if err != nil {
		t.Fatalf("Resolve(%q) = %v", base, err)
	}
	card.SupportedInterfaces = slices.DeleteFunc(card.SupportedInterfaces, func(i *a2a.AgentInterface) bool { return i.ProtocolBinding != binding })
	c, err := a2aclient.NewFromCard(w.ctx, card,
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
		a2aclient.WithCallInterceptors(&bearer{token: w.token}))
	if err != nil {
		t.Fatalf("NewFromCard(%q, %s) = %v", base, binding, err)
	}
	t.Cleanup(func() {
		if err := c.Destroy(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// bearer is how a2a-go's client gets a token.
type bearer struct {
	a2aclient.PassthroughInterceptor
	token string
}

func (b *bearer) Before(ctx context.Context, req *a2aclient.Request) (context.Context, any, error) {
	req.ServiceParams["Authorization"] = []string{"Bearer " + b.token}
	return ctx, nil, nil
}

// text is a message from a user, with Quorate's word in its metadata where there is one.
func text(s string, word map[string]any) *a2a.Message {
	m := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(s))
	if word != nil {
		m.Metadata = map[string]any{taskExtension: word}
	}
	return m
}

// answer is what an HTTP call got.
type answer struct {
	code   int
	header http.Header
	body   string
}

// call sends an HTTP request with the admin's token in A2A 1.0; headers replace those, and an empty value takes one away.
func (w *world) call(t *testing.T, method, path, body string, headers map[string]string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(w.ctx, method, w.http+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"Authorization": "Bearer " + w.token, "A2A-Version": "1.0", "Content-Type": "application/json"}
	maps.Copy(all, headers)
	for k, v := range all {
		if v != "" {
			req.Header.Set(k, v)
		}
	}
	return w.send(t, req)
}

// send sends a request as it is.
func (*world) send(t *testing.T, req *http.Request) answer {
	t.Helper()
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(raw)}
}

// object is the JSON in an answer.
func (a answer) object(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(a.body), &m); err != nil {
		t.Fatalf("the answer (%d) is no JSON object: %v\n%s", a.code, err, a.body)
	}
	return m
}
