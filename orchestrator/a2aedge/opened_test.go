package a2aedge_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
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
	t.Run("over gRPC", func(t *testing.T) {
		agent, s := &thoughtful{may: make(chan struct{})}, grpc.NewServer()
		a2apb.RegisterA2AServiceServer(s, agent)
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = s.Serve(l) }()
		t.Cleanup(s.Stop)
		w.register(t, "wired", "http://"+l.Addr().String(), "GRPC")
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
