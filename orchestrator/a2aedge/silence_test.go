package a2aedge_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/a2aedge"
)

// TestASilentStreamSaysThatItIsAlive has a service say nothing for a while and then break.
func TestASilentStreamSaysThatItIsAlive(t *testing.T) {
	for name, test := range map[string]struct {
		silence time.Duration
		beats   int
		code    int
	}{
		"broken before it is open is an ordinary error": {500 * time.Millisecond, 0, 503},
		"open after a second":                           {2 * time.Second, 1, 200},
		"alive for long":                                {40 * time.Second, 3, 200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := a2aedge.NewHandler(a2aedge.HandlerConfig{Service: a2aedge.New(a2aedge.Config{}), Gate: openGate{}, Conn: silent(test.silence)})
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/a2a/tasks/x:subscribe", nil))
				body := rec.Body.String()
				if rec.Code != test.code || strings.Count(body, ": alive\n\n") != test.beats || !strings.Contains(body, `{"error":{"code":503,"status":"UNAVAILABLE"`) {
					t.Errorf("answer = %d %q, want %d with %d signs of life and the error", rec.Code, body, test.code, test.beats)
				}
			})
		})
	}
}

// TestAnErrorRightBehindTheHeaderIsAnOrdinaryAnswer has a service accept a stream and then break it: gRPC over net/http sends header and error apart.
func TestAnErrorRightBehindTheHeaderIsAnOrdinaryAnswer(t *testing.T) {
	for after, want := range map[time.Duration]int{0: 503, 10 * time.Millisecond: 503, 200 * time.Millisecond: 200} {
		synctest.Test(t, func(t *testing.T) {
			h := a2aedge.NewHandler(a2aedge.HandlerConfig{Service: a2aedge.New(a2aedge.Config{}), Gate: openGate{}, Conn: accepting(after)})
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/a2a/tasks/x:subscribe", nil))
			body := rec.Body.String()
			if rec.Code != want || strings.Contains(body, ": alive") || !strings.Contains(body, `{"error":{"code":503,"status":"UNAVAILABLE"`) {
				t.Errorf("answer to an error %s behind the header = %d %q, want %d with the error", after, rec.Code, body, want)
			}
		})
	}
}

// TestAClientThatLeavesEndsItsStream cancels a request and wants its handler, and the call behind it, to end.
func TestAClientThatLeavesEndsItsStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, leave)
		start := time.Now()
		h := a2aedge.NewHandler(a2aedge.HandlerConfig{Service: a2aedge.New(a2aedge.Config{}), Gate: openGate{}, Conn: silent(time.Hour)})
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/a2a/tasks/x:subscribe", nil))
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("the handler ended after %s, want 5s", took)
		}
	})
}

// silent is a connection to a service whose streams break after this time without a message.
type silent time.Duration

func (silent) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	return errors.ErrUnsupported
}

func (s silent) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return &silence{ctx: ctx, lasts: time.Duration(s)}, nil
}

// accepting is a connection to a service whose streams begin with a header and break after this time without a message.
type accepting time.Duration

func (accepting) Invoke(context.Context, string, any, any, ...grpc.CallOption) error {
	return errors.ErrUnsupported
}

func (a accepting) NewStream(ctx context.Context, _ *grpc.StreamDesc, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return &silence{ctx: ctx, lasts: time.Duration(a), header: metadata.MD{}}, nil
}

type silence struct {
	grpc.ClientStream
	header metadata.MD     // nil: none comes before the end
	ctx    context.Context //nolint:containedctx // as grpc does
	lasts  time.Duration
}

func (*silence) SendMsg(any) error { return nil }

func (*silence) CloseSend() error { return nil }

func (s *silence) Header() (metadata.MD, error) { return s.header, nil }

func (s *silence) RecvMsg(any) error {
	select {
	case <-time.After(s.lasts):
		return status.Error(codes.Unavailable, "gone")
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}
