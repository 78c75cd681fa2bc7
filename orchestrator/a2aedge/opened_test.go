package a2aedge_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// thoughtful is an agent that takes calls at once, and answers once it may.
type thoughtful struct {
	a2apb.UnimplementedA2AServiceServer

	may chan struct{}
}

func (a *thoughtful) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if err := s.SendHeader(nil); err != nil {
		return err
	}
	select {
	case <-a.may:
	case <-s.Context().Done():
		return s.Context().Err()
	}
	return s.Send(&a2apb.StreamResponse{})
}

func (a *thoughtful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost { // the registry looks whether the agent is up
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_ = http.NewResponseController(w).Flush()
	select {
	case <-a.may:
	case <-r.Context().Done():
	}
}

// TestAPassingStreamIsOpenBeforeItsFirstEvent has an agent say nothing until its caller knows that the stream is open.
func TestAPassingStreamIsOpenBeforeItsFirstEvent(t *testing.T) {
	w := newWorld(t, passAll)
	t.Run("over JSON-RPC", func(t *testing.T) {
		agent := &thoughtful{may: make(chan struct{})}
		server := httptest.NewServer(agent)
		t.Cleanup(server.Close)
		w.addBare(t, server.URL)
		req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.http+"/agents/bare", strings.NewReader(
			`{"jsonrpc":"2.0","id":7,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{"Authorization": "Bearer " + w.token, "A2A-Version": "1.0", "Content-Type": "application/json"} {
			req.Header.Set(k, v)
		}
		resp, err := new(http.Client).Do(req)
		if err != nil {
			t.Fatalf("the stream is not open: %v", err)
		}
		defer resp.Body.Close()
		close(agent.may)
		if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("the answer is %d %s, want a stream", resp.StatusCode, got)
		}
	})
	agent, s := &thoughtful{may: make(chan struct{})}, grpc.NewServer()
	a2apb.RegisterA2AServiceServer(s, agent)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	w.register(t, "wired", "http://"+l.Addr().String(), "GRPC")
	t.Run("over HTTP+JSON to gRPC", func(t *testing.T) {
		w.wantSilentStream(t, "POST", "/agents/wired/message:stream", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, "")
	})
	t.Run("over gRPC", func(t *testing.T) {
		ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(w.ctx, "a2a-version", "1.0"))
		defer cancel()
		stream, err := a2apb.NewA2AServiceClient(w.conn).SendStreamingMessage(ctx, &a2apb.SendMessageRequest{
			Tenant: "wired", Message: &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if header, err := stream.Header(); header == nil || err != nil {
			t.Fatalf("Header() = %v, %v, want that the stream is open", header, err)
		}
		close(agent.may)
		if _, err := stream.Recv(); err != nil {
			t.Errorf("Recv() = %v, want what the agent says", err)
		}
	})
}

// TestAStreamThatIsTakenUpIsOpenBeforeItsNextEvent takes up streams of a task behind its last event, with nothing to come.
func TestAStreamThatIsTakenUpIsOpenBeforeItsNextEvent(t *testing.T) {
	w := newWorld(t)
	task := string(send(t, w, w.client(t, "/agents/echo", a2a.TransportProtocolGRPC),
		&a2a.SendMessageRequest{Message: text("hang", nil), Config: &a2a.SendMessageConfig{ReturnImmediately: true}}).ID)
	last := w.lastEvent(t, task)
	for name, x := range map[string]struct{ method, path, body string }{
		"over HTTP+JSON": {"GET", "/a2a/tasks/" + task + ":subscribe", ""},
		"over JSON-RPC":  {"POST", "/a2a", `{"jsonrpc":"2.0","id":7,"method":"SubscribeToTask","params":{"id":"` + task + `"}}`},
		"over REST":      {"GET", "/v1/tasks/" + task + ":watch", ""},
	} {
		t.Run(name, func(t *testing.T) { w.wantSilentStream(t, x.method, x.path, x.body, last) })
	}
}

// lastEvent returns the number of the last event of a task that hangs.
func (w *world) lastEvent(t *testing.T, task string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	watch, err := orchestratorv1.NewTaskServiceClient(w.conn).WatchTask(ctx, &orchestratorv1.WatchTaskRequest{Id: task})
	for err == nil {
		var e *orchestratorv1.WatchTaskResponse
		if e, err = watch.Recv(); e.GetEvent().GetState() == a2apb.TaskState_TASK_STATE_WORKING {
			return strconv.FormatUint(e.GetSequence(), 10)
		}
	}
	t.Fatalf("the task does not come to work: %v", err)
	return ""
}

// wantSilentStream opens a stream on which nothing happens and wants it to be open without a sign of life.
func (w *world) wantSilentStream(t *testing.T, method, path, body, lastEvent string) {
	t.Helper()
	ctx, cancel := context.WithCancel(w.ctx)
	req, err := http.NewRequestWithContext(ctx, method, w.http+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{
		"Authorization": "Bearer " + w.token, "A2A-Version": "1.0", "Content-Type": "application/json", "Accept": "text/event-stream", "Last-Event-ID": lastEvent,
	} {
		req.Header.Set(k, v)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatalf("the stream is not open: %v", err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Errorf("the answer is %d %s, want a stream", resp.StatusCode, got)
	}
	const soon = 50 * time.Millisecond // the next sign of life is 15 seconds away
	time.AfterFunc(soon, cancel)
	if said, _ := io.ReadAll(resp.Body); len(said) > 0 {
		t.Errorf("the head came with %q, want it as soon as the stream is open", said)
	}
}
