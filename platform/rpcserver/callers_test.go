package rpcserver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/rpcserver"
)

const otherToken = "other-token"

// limited starts a server with limits, where a second reader calls too.
func limited(t *testing.T, l rpcserver.Limits) *running {
	t.Helper()
	return start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) {
		o.Limits = l
		ring := auth.NewKeyring()
		ring.Add(readerToken, auth.Principal{Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
		ring.Add(otherToken, auth.Principal{Name: "bob", Roles: []auth.Role{auth.RoleViewer}})
		o.Authenticator = ring
	})
}

// watch opens a stream over REST that stays open until leave is called.
func (r *running) watch(t *testing.T, token string) (status int, leave func()) {
	t.Helper()
	req := r.request(t, http.MethodGet, "/v1/books:watch?then=slow", nil, header{"Accept": "text/event-stream", "Authorization": "Bearer " + token})
	resp, err := new(http.Client).Do(req) //nolint:bodyclose // by leave
	if err != nil {
		t.Fatalf("watch = %v, want an answer", err)
	}
	return resp.StatusCode, func() { _ = resp.Body.Close() }
}

func TestOneCallerLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	r := limited(t, rpcserver.Limits{MaxCalls: 8})
	for i := range 4 {
		status, leave := r.watch(t, readerToken)
		t.Cleanup(leave)
		if status != http.StatusOK {
			t.Fatalf("watch %d = %d, want 200", i, status)
		}
	}
	answer, text := r.do(t, http.MethodGet, "/v1/books/any", "", nil)
	if answer.StatusCode != http.StatusTooManyRequests || !strings.Contains(text, "CALLS_TOO_MANY") || answer.Header.Get("Retry-After") == "" {
		t.Errorf("a call beside half of all = %d %q %s, want 429 CALLS_TOO_MANY with Retry-After", answer.StatusCode, answer.Header.Get("Retry-After"), text)
	}
	stream := watch(as(t, readerToken), t, r.conn, newMessage("WatchBooksRequest", "then", "slow"))
	if err := stream.RecvMsg(newMessage("Book")); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a stream over gRPC beside half of all = %v, want ResourceExhausted", err)
	}
	if answer, text := r.do(t, http.MethodGet, "/v1/books/any", "", header{"Authorization": "Bearer " + otherToken}); answer.StatusCode != http.StatusOK {
		t.Errorf("a call of another = %d %s, want 200", answer.StatusCode, text)
	}
}

func TestWhoClosesACallMayHaveAnother(t *testing.T) {
	t.Parallel()
	r := limited(t, rpcserver.Limits{MaxCalls: 2})
	for range 3 {
		status, leave := r.watch(t, readerToken)
		if status != http.StatusOK {
			t.Fatalf("watch = %d, want 200", status)
		}
		if answer, _ := r.do(t, http.MethodGet, "/v1/books/any", "", nil); answer.StatusCode != http.StatusTooManyRequests {
			t.Errorf("a second call = %d, want 429", answer.StatusCode)
		}
		leave()
		for { // the server notices that the stream is left
			if answer, _ := r.do(t, http.MethodGet, "/v1/books/any", "", nil); answer.StatusCode == http.StatusOK {
				break
			}
		}
	}
}

func TestACallerBeginsSoManyCallsInASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := rpcserver.NewCallers(rpcserver.Limits{PerSecond: 10, Burst: 3})
		ann, bob := auth.Principal{Name: "ann"}, auth.Principal{Name: "bob"}
		begun := func(p auth.Principal, calls int) (n int, err error) {
			for range calls {
				leave, refused := c.Enter(p)
				if refused != nil {
					err = refused
					continue
				}
				leave()
				n++
			}
			return n, err
		}
		n, err := begun(ann, 5)
		refusal, ok := errors.AsType[*fault.Error](err)
		if n != 3 || !ok || refusal.Kind != fault.ResourceExhausted || refusal.Reason != "RATE_LIMITED" || refusal.RetryAfter <= 0 || refusal.RetryAfter > time.Second/10 {
			t.Errorf("5 calls at once: %d begun, %v, want 3 and RATE_LIMITED with at most 0.1 s to wait", n, err)
		}
		if n, err := begun(bob, 3); n != 3 {
			t.Errorf("3 calls of another: %d begun, %v, want 3", n, err)
		}
		time.Sleep(200 * time.Millisecond) //nolint:forbidigo // the clock of the bubble
		if n, _ := begun(ann, 5); n != 2 {
			t.Errorf("5 calls after 0.2 s: %d begun, want 2", n)
		}
	})
}

// TestCallersAreForgotten has more callers than anybody wants to remember.
func TestCallersAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := rpcserver.NewCallers(rpcserver.Limits{PerSecond: 1000})
		for i := range 100_000 {
			leave, err := c.Enter(auth.Principal{Tenant: "t", Name: string(rune(i))})
			if err != nil {
				t.Fatalf("call of caller %d = %v, want no error", i, err)
			}
			leave()
			if i%1000 == 0 {
				time.Sleep(time.Second) //nolint:forbidigo // the clock of the bubble
			}
		}
		if n := c.Known(); n > 5000 {
			t.Errorf("%d callers are remembered, want those of the last seconds", n)
		}
	})
}

// TestNobodyIsHeardOut opens a call without a token and sends no request: the refusal does not wait for one.
func TestNobodyIsHeardOut(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	stream, err := r.conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, getBook)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(newMessage("Book")); status.Code(err) != codes.Unauthenticated {
		t.Errorf("answer = %v, want Unauthenticated", err)
	}
}

// TestPublicStreamsAreFew opens watches of the server's health until one is refused.
func TestPublicStreamsAreFew(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	health := grpc_health_v1.NewHealthClient(r.conn)
	for i := range 2000 {
		stream, err := health.Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = stream.Recv(); err == nil {
			continue
		}
		if status.Code(err) != codes.ResourceExhausted || i < 1000 {
			t.Fatalf("watch %d = %v, want ResourceExhausted after 1024", i, err)
		}
		if _, err := health.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
			t.Errorf("Check() = %v, want no error", err)
		}
		return
	}
	t.Error("2000 watches of anybody are open, want 1024")
}

// silent opens calls of a method that send no request, and returns the first result of any of them. Each says that it comes from another address.
func (r *running) silent(ctx context.Context, t *testing.T, method string, calls int) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	results := make(chan error, calls)
	for i := range calls {
		stream, err := r.conn.NewStream(metadata.AppendToOutgoingContext(ctx, "quorate-origin", fmt.Sprint("192.0.2.", i)), &grpc.StreamDesc{ClientStreams: true}, method)
		if err != nil {
			t.Fatal(err)
		}
		go func() { results <- stream.RecvMsg(&emptypb.Empty{}) }()
	}
	return <-results
}

// TestACallThatWaitsForItsRequestCounts has a caller open more calls than it may have, and send the request of none.
func TestACallThatWaitsForItsRequestCounts(t *testing.T) {
	t.Parallel()
	r := limited(t, rpcserver.Limits{MaxCalls: 8})
	if err := r.silent(as(t, readerToken), t, getBook, 5); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("the first of five calls beside half of all = %v, want ResourceExhausted", err)
	}
	if answer, text := r.do(t, http.MethodGet, "/v1/books/any", "", header{"Authorization": "Bearer " + otherToken}); answer.StatusCode != http.StatusOK {
		t.Errorf("a call of another = %d %s, want 200", answer.StatusCode, text)
	}
}

// TestACallCountsOnce has a caller that may begin few calls at once.
func TestACallCountsOnce(t *testing.T) {
	t.Parallel()
	r := limited(t, rpcserver.Limits{PerSecond: 0.01, Burst: 2})
	for i, want := range []codes.Code{codes.OK, codes.OK, codes.ResourceExhausted} {
		err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book"))
		if status.Code(err) != want {
			t.Errorf("call %d = %v, want %s", i+1, err, want)
		}
	}
}

// TestARequestForAPlainHandlerCountsAsACall has one call at a time, and three in all.
func TestARequestForAPlainHandlerCountsAsACall(t *testing.T) {
	t.Parallel()
	r := start(t, func(o *rpcserver.Options, then prepared) {
		o.Limits = rpcserver.Limits{MaxCalls: 2, PerSecond: 0.01, Burst: 3}
		then(func(s *rpcserver.Server) { s.Handle("/plain", s.Authenticated(http.NotFoundHandler())) })
	})
	for i, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusNotFound, http.StatusTooManyRequests} {
		if answer, text := r.do(t, http.MethodGet, "/plain", "", nil); answer.StatusCode != want {
			t.Errorf("request %d = %d %s, want %d", i+1, answer.StatusCode, text, want)
		}
	}
}

// TestPublicCallsThatWaitForTheirRequestAreFew has one address open calls and send no requests; REST comes from another one.
func TestPublicCallsThatWaitForTheirRequestAreFew(t *testing.T) {
	t.Parallel()
	for _, method := range []string{grpc_health_v1.Health_Check_FullMethodName, grpc_health_v1.Health_Watch_FullMethodName} {
		r := start(t, nil)
		if err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
			t.Errorf("the first call of the connection = %v, want no error", err)
		}
		if err := r.silent(t.Context(), t, method, 100); status.Code(err) != codes.ResourceExhausted {
			t.Errorf("%s: the first of 100 calls of nobody = %v, want ResourceExhausted", method, err)
		}
		if err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
			t.Errorf("a call of somebody = %v, want no error", err)
		}
		if _, err := grpc_health_v1.NewHealthClient(r.Conn()).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
			t.Errorf("a call of nobody from another address = %v, want no error", err)
		}
	}
}

// TestPublicCallsThatAreOverDoNotCount makes more calls than one address may have at a time, one after the other.
func TestPublicCallsThatAreOverDoNotCount(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	if err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
		t.Errorf("the first call of the connection = %v, want no error", err)
	}
	health := grpc_health_v1.NewHealthClient(r.conn)
	for i := range 1100 {
		if _, err := health.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
			t.Fatalf("Check() %d = %v, want no error", i, err)
		}
	}
}

func TestAPublicCallWaitsForItsRequestForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		never := make(chan error)
		began := time.Now()
		err := rpcserver.DecodePublic(func(any) error { return <-never })
		if took := time.Since(began); status.Code(err) != codes.InvalidArgument || took > time.Minute {
			t.Errorf("a call without a request = %v after %s, want InvalidArgument soon", err, took)
		}
		never <- nil // the end of the call ends what reads it
	})
}
