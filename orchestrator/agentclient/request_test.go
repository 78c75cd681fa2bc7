package agentclient_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/registry/agentcard"
)

// traced is an agent over gRPC that notes the trace of a call.
type traced struct {
	a2apb.UnimplementedA2AServiceServer
	parent chan<- string
}

func (a traced) SendMessage(ctx context.Context, _ *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	a.parent <- strings.Join(metadata.ValueFromIncomingContext(ctx, "traceparent"), " ")
	return &a2apb.SendMessageResponse{}, nil
}

// TestARequestIsPartOfATraceAndSaysWhatItIs sends a message to agents of each binding.
func TestARequestIsPartOfATraceAndSaysWhatItIs(t *testing.T) {
	t.Parallel()
	ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}}))
	const want = "00-01000000000000000000000000000000-0200000000000000-00"
	for _, in := range []agentcard.Interface{
		{Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"},
		{Binding: agentcard.BindingJSONRPC, ProtocolVersion: "1.0"},
		{Binding: agentcard.BindingHTTPJSON, ProtocolVersion: "1.0"},
		{Binding: agentcard.BindingJSONRPC, ProtocolVersion: "0.3.0"},
	} {
		parent, kind := make(chan string, 1), "application/json"
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			kind = r.Header.Get("Content-Type")
			parent <- r.Header.Get("Traceparent")
		}))
		t.Cleanup(server.Close)
		if in.URL = server.URL; in.Binding == agentcard.BindingGRPC {
			in.URL = serveGRPC(t, traced{parent: parent})
		}
		c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{in}})
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Send(ctx, message("m", "hello"), false, func(*a2apb.StreamResponse) error { return nil }) // over HTTP the answer is none
		if got := <-parent; got != want || kind != "application/json" {
			t.Errorf("Send() over %s %s is of the trace %q and of the type %q, want %s and application/json", in.Binding, in.ProtocolVersion, got, kind, want)
		}
	}
}
