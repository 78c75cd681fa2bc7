package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const patience = 30 * time.Second // nothing here takes a second; more means that it hangs

// silent is an agent that takes calls at once and says nothing.
type silent struct {
	a2apb.UnimplementedA2AServiceServer
}

func (silent) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if err := s.SendHeader(nil); err != nil {
		return err
	}
	<-s.Context().Done()
	return s.Context().Err()
}

func (silent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost { // the registry looks whether the agent is up
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// doors are those of a server through which calls pass where they may, with silent agents: wired over gRPC and bare over JSON-RPC, to which they
// pass, and ruled, to which they do not.
type doors struct {
	http, grpc string
	ring       *auth.Keyring
	task       string // with ruled
	stop       func() // the server
}

func openDoors(t *testing.T, readmitEvery time.Duration) *doors {
	t.Helper()
	stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("OpenEmbedded() = %v, want no error", err)
	}
	tel, err := telemetry.Setup(t.Context(), telemetry.Config{LogWriter: t.Output(), LogLevel: "error"})
	if err != nil {
		t.Fatal(err)
	}
	overHTTP, overGRPC := listen(t), listen(t)
	d := &doors{http: "http://" + overHTTP.Addr().String(), grpc: overGRPC.Addr().String(), ring: auth.NewKeyring()}
	s, err := server.New(t.Context(), server.Options{
		Stores: stores, Telemetry: tel, Authenticator: d.ring, Policy: &netguard.Policy{AllowLoopback: true}, Receivers: &netguard.Policy{},
		HTTPListener: overHTTP, GRPCListener: overGRPC, PassThrough: []string{"*"}, ReadmitEvery: readmitEvery,
	})
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	running, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	d.stop = stop
	background(t, func(ctx context.Context) error {
		defer context.AfterFunc(ctx, stop)()
		return tasks.Run(running, tel.Logger, s.Tasks()...)
	}, s.Close, stores.Close)
	d.addAgents(t)
	return d
}

// addAgents serves the agents, registers them, and gives ruled a task.
func (d *doors) addAgents(t *testing.T) {
	t.Helper()
	l, g := listen(t), grpc.NewServer()
	a2apb.RegisterA2AServiceServer(g, silent{})
	go func() { _ = g.Serve(l) }()
	t.Cleanup(g.Stop)
	h := httptest.NewServer(silent{})
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	key := d.key("admin")
	for name, at := range map[string]string{"wired": `"url":"http://` + l.Addr().String() + `","protocolBinding":"GRPC"`, "bare": `"url":"` + h.URL + `","protocolBinding":"JSONRPC"`} {
		d.must(t, key, "/v1/agents:register", cardOf(name, at)+`}`, nil)
		if name == "bare" {
			d.must(t, key, "/v1/agents:register", cardOf("ruled", at)+`,"metadata":{"consultationRequirements":[{"id":"r","targetAgent":"bare","phase":"pre-completion"}]}}`, nil)
		}
	}
	var task struct{ ID string }
	d.must(t, key, "/v1/tasks", `{"route":{"agent":"ruled"},`+saying+`}`, &task)
	d.task = task.ID
}

const saying = `"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`

func cardOf(name, at string) string {
	return `{"card":{"name":"` + name + `","description":"d","version":"1.0.0","capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"s","name":"s","description":"s","tags":["t"]}],"supportedInterfaces":[{` + at + `,"protocolVersion":"1.0"}]}`
}

// key makes a new key of an admin.
func (d *doors) key(name string) auth.Secret {
	token := auth.NewToken("key")
	d.ring.Add(token, auth.Principal{Tenant: auth.DefaultTenant, Name: name, Roles: []auth.Role{auth.RoleAdmin}})
	return token
}

// call begins an HTTP call; the body of its answer may be a stream.
func (d *doors) call(t *testing.T, key auth.Secret, method, path, body, accept string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, d.http+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + key.Reveal(), "A2A-Version": "1.0", "Content-Type": "application/json", "Accept": accept} {
		req.Header.Set(name, value)
	}
	if strings.Contains(body, "message/stream") {
		req.Header.Del("A2A-Version")
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatalf("%s %s = %v, want an answer", method, path, err)
	}
	return resp
}

func (d *doors) must(t *testing.T, key auth.Secret, path, body string, answer any) {
	t.Helper()
	resp := d.call(t, key, http.MethodPost, path, body, "application/json")
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && answer != nil {
		err = json.Unmarshal(raw, answer)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("POST %s = %d %s, %v", path, resp.StatusCode, raw, err)
	}
}

// httpStreams are all streams over HTTP that stay open while nothing happens.
func (d *doors) httpStreams() map[string]struct{ method, path, body, accept string } {
	const events = "text/event-stream"
	rpc := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":{%s}}`, method, params)
	}
	return map[string]struct{ method, path, body, accept string }{
		"passing over JSON-RPC":                    {"POST", "/agents/bare", rpc("SendStreamingMessage", saying), events},
		"passing over JSON-RPC, no events wanted":  {"POST", "/agents/bare", rpc("SendStreamingMessage", saying), "*/*"},
		"passing over HTTP+JSON":                   {"POST", "/agents/wired/message:stream", "{" + saying + "}", events},
		"tracked over JSON-RPC":                    {"POST", "/a2a", rpc("SubscribeToTask", `"id":"`+d.task+`"`), events},
		"tracked over JSON-RPC in A2A 0.3":         {"POST", "/agents/ruled", rpc("message/stream", `"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}`), events},
		"tracked over HTTP+JSON":                   {"GET", "/a2a/tasks/" + d.task + ":subscribe", "", events},
		"tracked over HTTP+JSON, no events wanted": {"GET", "/a2a/tasks/" + d.task + ":subscribe", "", "*/*"},
		"of a task over REST":                      {"GET", "/v1/tasks/" + d.task + ":watch", "", events},
		"of a task over REST, in lines":            {"GET", "/v1/tasks/" + d.task + ":watch", "", "application/json"},
		"of agents over REST":                      {"GET", "/v1/agents:watch", "", events},
	}
}

// grpcStreams are all streams over gRPC that stay open while nothing happens.
func (d *doors) grpcStreams() map[string]func(context.Context, *grpc.ClientConn) (grpc.ClientStream, error) {
	return map[string]func(context.Context, *grpc.ClientConn) (grpc.ClientStream, error){
		"passing over gRPC": func(ctx context.Context, c *grpc.ClientConn) (grpc.ClientStream, error) {
			return a2apb.NewA2AServiceClient(c).SendStreamingMessage(ctx, &a2apb.SendMessageRequest{
				Tenant: "wired", Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}}},
			})
		},
		"tracked over gRPC": func(ctx context.Context, c *grpc.ClientConn) (grpc.ClientStream, error) {
			return a2apb.NewA2AServiceClient(c).SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Id: d.task})
		},
		"of a task over gRPC": func(ctx context.Context, c *grpc.ClientConn) (grpc.ClientStream, error) {
			return orchestratorv1.NewTaskServiceClient(c).WatchTask(ctx, &orchestratorv1.WatchTaskRequest{Id: d.task})
		},
		"of agents over gRPC": func(ctx context.Context, c *grpc.ClientConn) (grpc.ClientStream, error) {
			return registryv1.NewRegistryServiceClient(c).WatchAgents(ctx, &registryv1.WatchAgentsRequest{})
		},
	}
}

// TestEveryStreamEndsWithItsKey opens each stream with a key of its own, which is taken away.
func TestEveryStreamEndsWithItsKey(t *testing.T) {
	d := openDoors(t, 10*time.Millisecond)
	for name, x := range d.httpStreams() {
		t.Run(name, func(t *testing.T) {
			key := d.key(name)
			resp := d.call(t, key, x.method, x.path, x.body, x.accept)
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("%s %s = %d, want a stream", x.method, x.path, resp.StatusCode)
			}
			d.ring.Remove(key)
			said, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(said), "TOKEN_INVALID") {
				t.Errorf("the stream ended with %q, %v, want to be told that the key does not count", said, err)
			}
		})
	}
	conn, err := grpc.NewClient(d.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for name, open := range d.grpcStreams() {
		t.Run(name, func(t *testing.T) {
			key := d.key(name)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			stream, err := open(metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key.Reveal(), "a2a-version", "1.0"), conn)
			if err != nil {
				t.Fatal(err)
			}
			if header, err := stream.Header(); header == nil || err != nil {
				t.Fatalf("Header() = %v, %v, want that the stream is open", header, err)
			}
			d.ring.Remove(key)
			if err := endOf(stream); fault.ReasonOf(rpcfault.FromStatus(err)) != "TOKEN_INVALID" {
				t.Errorf("the stream ended with %v, want to be told that the key does not count", err)
			}
		})
	}
}

// endOf returns how a stream ends.
func endOf(stream grpc.ClientStream) error {
	for {
		if err := stream.RecvMsg(&emptypb.Empty{}); err != nil { // of whatever message
			return err
		}
	}
}

// TestEveryStreamSaysThatTheServerStops opens each stream and stops the server: whoever is not told takes the stream for complete.
func TestEveryStreamSaysThatTheServerStops(t *testing.T) {
	d := openDoors(t, time.Hour)
	key := d.key("admin")
	conn, err := grpc.NewClient(d.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	bodies, streams := make(map[string]io.Reader), make(map[string]grpc.ClientStream)
	for name, x := range d.httpStreams() {
		resp := d.call(t, key, x.method, x.path, x.body, x.accept)
		defer resp.Body.Close()
		bodies[name] = resp.Body
	}
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key.Reveal(), "a2a-version", "1.0"), patience)
	defer cancel()
	for name, open := range d.grpcStreams() {
		if streams[name], err = open(ctx, conn); err == nil {
			_, err = streams[name].Header()
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	d.stop()
	for name, body := range bodies {
		if said, err := io.ReadAll(body); err != nil || !strings.Contains(string(said), "STREAM_ENDED") {
			t.Errorf("%s ended with %q, %v, want STREAM_ENDED", name, said, err)
		}
	}
	for name, stream := range streams {
		if err := endOf(stream); status.Code(err) != codes.Unavailable || fault.ReasonOf(rpcfault.FromStatus(err)) != "STREAM_ENDED" {
			t.Errorf("%s ended with %v, want STREAM_ENDED", name, err)
		}
	}
}
