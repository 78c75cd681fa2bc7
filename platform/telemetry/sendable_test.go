package telemetry_test

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/telemetry"
)

// receiver takes what is exported, as it is encoded.
type receiver struct {
	mu  sync.Mutex
	got bytes.Buffer // guarded by mu
}

func (r *receiver) handle(_ any, stream grpc.ServerStream) error {
	request := &emptypb.Empty{} // keeps all bytes as unknown fields
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got.Write(request.ProtoReflect().GetUnknown())
	return stream.SendMsg(&emptypb.Empty{})
}

// export sends the spans that end in work to a receiver, and returns what it got.
func export(t *testing.T, work func(trace.Tracer)) []byte {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var r receiver
	server := grpc.NewServer(grpc.UnknownServiceHandler(r.handle))
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	tel := setup(t, telemetry.Config{TraceRatio: 1, OTLPEndpoint: "http://" + l.Addr().String()})
	work(tel.TracerProvider.Tracer("test"))
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatalf("Shutdown() = %v, want no error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got.Bytes()
}

func TestASpanThatIsNotUTF8TakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	got := export(t, func(tracer trace.Tracer) {
		_, other := tracer.Start(t.Context(), "other work")
		other.End()
		_, span := tracer.Start(t.Context(), "work")
		span.SetAttributes(attribute.String("url.path", "/path\xff"), attribute.Int("size", 7))
		span.SetStatus(codes.Error, "status\xff")
		span.AddEvent("panic", trace.WithAttributes(attribute.String("exception.message", "event\xff")))
		span.End()
	})
	for _, want := range []string{"other work", "/path\uFFFD", "status\uFFFD", "event\uFFFD"} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("the receiver got %q, want %q in it", got, want)
		}
	}
}

// TestLongSpansTakeNoOtherWithThem sends what a stranger can put into the span of a request.
func TestLongSpansTakeNoOtherWithThem(t *testing.T) {
	t.Parallel()
	var vendors []string
	for i := range 32 {
		vendors = append(vendors, fmt.Sprintf("vendor%d=%s", i, strings.Repeat("v", 250)))
	}
	state, err := trace.ParseTraceState(strings.Join(vendors, ","))
	if err != nil {
		t.Fatal(err)
	}
	caller := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled, TraceState: state, Remote: true})
	short, err := trace.ParseTraceState("vendor=short")
	if err != nil {
		t.Fatal(err)
	}
	otherCaller := caller.WithTraceID(trace.TraceID{2}).WithTraceState(short)
	got := export(t, func(tracer trace.Tracer) {
		_, other := tracer.Start(trace.ContextWithRemoteSpanContext(t.Context(), otherCaller), "other work")
		other.End()
		for range 511 { // as many as are sent with it
			_, span := tracer.Start(trace.ContextWithRemoteSpanContext(t.Context(), caller), "work")
			for _, key := range []string{"server.address", "http.request.method_original", "url.path", "client.address", "user_agent.original"} {
				span.SetAttributes(attribute.String(key, strings.Repeat("a", 12<<10)))
			}
			span.SetStatus(codes.Error, strings.Repeat("a", 12<<10))
			span.End()
		}
	})
	first, second := caller.TraceID(), otherCaller.TraceID()
	for what, want := range map[string][]byte{
		"the other span": []byte("other work"), "its trace": second[:], "its short tracestate": []byte("vendor=short"),
		"the trace of the long spans": first[:], "their long texts, cut": []byte("a… (cut)"),
	} {
		if !bytes.Contains(got, want) {
			t.Errorf("the receiver got %d bytes without %s", len(got), what)
		}
	}
}
