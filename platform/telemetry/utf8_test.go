package telemetry_test

import (
	"bytes"
	"net"
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

func TestASpanThatIsNotUTF8TakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var r receiver
	server := grpc.NewServer(grpc.UnknownServiceHandler(r.handle))
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	tel := setup(t, telemetry.Config{TraceRatio: 1, OTLPEndpoint: "http://" + l.Addr().String()})
	tracer := tel.TracerProvider.Tracer("test")
	_, other := tracer.Start(t.Context(), "other work")
	other.End()
	_, span := tracer.Start(t.Context(), "work")
	span.SetAttributes(attribute.String("url.path", "/path\xff"), attribute.Int("size", 7))
	span.SetStatus(codes.Error, "status\xff")
	span.AddEvent("panic", trace.WithAttributes(attribute.String("exception.message", "event\xff")))
	span.End()
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatalf("Shutdown() = %v, want no error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, want := range []string{"other work", "/path\uFFFD", "status\uFFFD", "event\uFFFD"} {
		if !bytes.Contains(r.got.Bytes(), []byte(want)) {
			t.Errorf("the receiver got %q, want %q in it", r.got.Bytes(), want)
		}
	}
}
