package rpcserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
)

const (
	readerToken = "reader-token"
	secondToken = "second-token" // of the same caller
	agentToken  = "agent-token"
)

// running is a server under test with the library.
type running struct {
	*rpcserver.Server
	url    string
	conn   *grpc.ClientConn
	log    *logtest.Buffer
	cancel context.CancelFunc
	done   chan error
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func options(t *testing.T, log io.Writer) rpcserver.Options {
	t.Helper()
	tel, err := telemetry.Setup(t.Context(), telemetry.Config{LogWriter: log, LogLevel: "debug", TraceRatio: 1})
	if err != nil {
		t.Fatal(err)
	}
	ring := auth.NewKeyring()
	ring.Add(readerToken, auth.Principal{Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
	ring.Add(secondToken, auth.Principal{Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
	ring.Add(agentToken, auth.Principal{Name: "web", Roles: []auth.Role{auth.RoleAgent}})
	readers := auth.Rule{Roles: []auth.Role{auth.RoleViewer}}
	return rpcserver.Options{
		Telemetry: tel, Authenticator: ring, Rules: auth.Rules{getBook: readers, createBook: readers, watchBooks: readers},
		GRPCListener: listen(t, "127.0.0.1:0"), HTTPListener: listen(t, "127.0.0.1:0"), MaxBodyBytes: 64 << 10,
	}
}

// start runs a server until the test ends; prepare may change it before.
func start(t *testing.T, prepare func(*rpcserver.Options, func(func(*rpcserver.Server)))) *running {
	t.Helper()
	log := new(logtest.Buffer)
	opts := options(t, log)
	var later []func(*rpcserver.Server)
	if prepare != nil {
		prepare(&opts, func(f func(*rpcserver.Server)) { later = append(later, f) })
	}
	s, err := rpcserver.New(opts)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	s.GRPC().RegisterService(&libraryService, nil)
	if strings.HasPrefix(t.Name(), directly) {
		s.Direct().RegisterService(&libraryService, nil)
	}
	if err := s.Gateway(t.Context(), registerLibrary); err != nil {
		t.Fatalf("Gateway() = %v, want no error", err)
	}
	for _, f := range later {
		f(s)
	}
	conn, err := grpc.NewClient(opts.GRPCListener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r := &running{Server: s, url: "http://" + opts.HTTPListener.Addr().String(), conn: conn, log: log, cancel: cancel, done: make(chan error, 1)}
	go func() { r.done <- s.Run(ctx) }()
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("Run() = %v, want no error", err)
		}
		r.done <- nil
	})
	return r
}

type header map[string]string

// reply is what is left of an answer when its body is read and closed.
type reply struct {
	StatusCode int
	Header     http.Header
}

// do sends one request as ann, unless headers say otherwise, and returns the answer with its body.
func (r *running) do(t *testing.T, method, path, body string, headers header) (answer reply, text string) {
	t.Helper()
	var content io.Reader = http.NoBody
	if body != "" {
		content = strings.NewReader(body)
	}
	return r.send(t, r.request(t, method, path, content, headers))
}

func (r *running) request(t *testing.T, method, path string, body io.Reader, headers header) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+readerToken)
	for name, value := range headers {
		switch {
		case value == "":
			req.Header.Del(name)
		case name == "Host":
			req.Host = value
		default:
			req.Header.Set(name, value)
		}
	}
	return req
}

func (*running) send(t *testing.T, req *http.Request) (answer reply, text string) {
	t.Helper()
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatalf("%s %s = %v, want an answer", req.Method, req.URL, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s body = %v, want no error", req.Method, req.URL, err)
	}
	return reply{resp.StatusCode, resp.Header}, string(data)
}

// bearer returns the metadata that authenticates with token.
func bearer(token string) []string { return []string{"authorization", "Bearer " + token} }

// as returns a context that authenticates gRPC calls with token.
func as(t *testing.T, token string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), bearer(token)...)
}

// watch opens a stream of books and sends its request.
func watch(ctx context.Context, t *testing.T, conn grpc.ClientConnInterface, request proto.Message) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, watchBooks)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stream.SendMsg(request), stream.CloseSend()); err != nil {
		t.Fatal(err)
	}
	return stream
}
