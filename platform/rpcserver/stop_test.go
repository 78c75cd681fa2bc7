package rpcserver_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/logtest"
	"github.com/quorate/quorate/platform/rpcserver"
)

// broken is a listener that cannot accept connections any more.
type broken struct{ net.Listener }

func (broken) Accept() (net.Conn, error) { return nil, errors.New("the network is gone") }

func TestAServerWithoutItsPortEnds(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*rpcserver.Options){
		"gRPC": func(o *rpcserver.Options) { o.GRPCListener = broken{o.GRPCListener} },
		"HTTP": func(o *rpcserver.Options) { o.HTTPListener = broken{o.HTTPListener} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, new(logtest.Buffer))
			breaks(&o)
			s, err := rpcserver.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "the network is gone") {
				t.Errorf("Run() = %v, want why it ended", err)
			}
		})
	}
}

// TestAServerThatStopsSaysSo asks while a request holds a server up that stops.
func TestAServerThatStopsSaysSo(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	r := start(t, func(_ *rpcserver.Options, later func(func(*rpcserver.Server))) {
		later(func(s *rpcserver.Server) {
			s.Handle("GET /held", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				close(begun)
				<-release
			}))
		})
	})
	defer close(release)
	held := r.request(t, http.MethodGet, "/held", http.NoBody, nil)
	go func() {
		if resp, err := new(http.Client).Do(held); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-begun
	stream, end := r.WhileAdmitted(t.Context(), http.Header{"Authorization": bearer(readerToken)[1:]}, watchBooks)
	defer end()
	health := grpc_health_v1.NewHealthClient(r.Conn())
	for _, want := range []struct {
		status    grpc_health_v1.HealthCheckResponse_ServingStatus
		readiness string
		code      int
	}{
		{grpc_health_v1.HealthCheckResponse_SERVING, "ready", http.StatusOK},
		{grpc_health_v1.HealthCheckResponse_NOT_SERVING, "stopping", http.StatusServiceUnavailable},
	} {
		for _, service := range []string{"", "test.v1.Library"} {
			if got, err := health.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: service}); err != nil || got.GetStatus() != want.status {
				t.Errorf("Check(%q) of a server that is %s = %v, %v, want %s", service, want.readiness, got, err, want.status)
			}
		}
		answer := httptest.NewRecorder()
		r.ServeReady(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		if answer.Code != want.code || !strings.Contains(answer.Body.String(), `"status":"`+want.readiness+`"`) {
			t.Errorf("GET /readyz = %d %s, want %d %s", answer.Code, answer.Body, want.code, want.readiness)
		}
		r.cancel()
		<-stream.Done() // streams end when everybody can know that the server stops
	}
}

// TestAHandlerThatIgnoresItsEndHoldsNoServerUp has one go on when its call is cut off.
func TestAHandlerThatIgnoresItsEndHoldsNoServerUp(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	o := options(t, log)
	s, err := rpcserver.New(o)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	s.GRPC().RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.v1.Library", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "GetBook", Handler: func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error) {
			close(begun)
			<-release
			return &emptypb.Empty{}, nil
		}}},
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	conn, err := grpc.NewClient(o.GRPCListener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	ended := make(chan error, 1)
	go func() { ended <- conn.Invoke(t.Context(), getBook, &emptypb.Empty{}, &emptypb.Empty{}) }()
	<-begun
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run() = %v, want no error", err)
		}
	case <-time.After(time.Minute): // it takes eleven seconds
		t.Fatal("Run() goes on while a handler does, want it to end")
	}
	if err := <-ended; err == nil {
		t.Error("GetBook() = no error, want that it was cut off")
	}
	if want := "abandoning calls that do not end"; !strings.Contains(log.String(), want) {
		t.Errorf("log = %s, want %q", log, want)
	}
}
