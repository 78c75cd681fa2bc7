package rpcserver_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/rpcserver"
)

const (
	unknownToken = "unknown-token"
	reflection   = grpc_reflection_v1.ServerReflection_ServerReflectionInfo_FullMethodName
)

// slowly is an Authenticator that takes its time for unknownToken.
type slowly struct {
	auth.Authenticator
	asked chan struct{}
	told  chan struct{} // closed when it is known
}

func (s slowly) Authenticate(ctx context.Context, token string) (auth.Principal, error) {
	if token == unknownToken {
		s.asked <- struct{}{}
		<-s.told
	}
	return s.Authenticator.Authenticate(ctx, token)
}

// TestTheCallsOfNobodyAreNotPassedOn has many calls of a client whom nobody knows, on a connection that bypasses gRPC. Each takes a goroutine there; passed on, it takes
// several more, and shares a connection with the calls of all others.
func TestTheCallsOfNobodyAreNotPassedOn(t *testing.T) {
	t.Parallel()
	const calls, most = 300, 64
	who := slowly{asked: make(chan struct{}, 2*calls), told: make(chan struct{})}
	r := start(t, func(o *rpcserver.Options, later func(func(*rpcserver.Server))) {
		who.Authenticator = o.Authenticator
		o.Authenticator = who
		later(func(s *rpcserver.Server) { s.Direct().RegisterService(&libraryService, nil) })
	})
	if err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
		t.Fatalf("GetBook() = %v, want no error", err)
	}
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if err := reflected(as(t, unknownToken), r.conn); status.Code(err) != codes.Unauthenticated || fault.ReasonOf(rpcfault.FromStatus(err)) != "TOKEN_INVALID" {
				t.Errorf("a call of nobody = %v, want TOKEN_INVALID", err)
			}
		})
	}
	for range most - 1 { // and the first call, which may not be over for the connection
		<-who.asked
	}
	<-time.After(50 * time.Millisecond)
	if more := len(who.asked); more > 1 {
		t.Errorf("%d calls are worked on, and nobody knows whose they are, want %d", most-1+more, most)
	}
	close(who.told)
	all.Wait()
}

// TestACallOfNobodyIsSeenOnceWhereItIsNotPassedOn looks at the log and the metrics.
func TestACallOfNobodyIsSeenOnceWhereItIsNotPassedOn(t *testing.T) {
	t.Parallel()
	r := start(t, func(_ *rpcserver.Options, later func(func(*rpcserver.Server))) {
		later(func(s *rpcserver.Server) { s.Direct().RegisterService(&libraryService, nil) })
	})
	if err := r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book")); err != nil {
		t.Fatalf("GetBook() = %v, want no error", err)
	}
	if err := reflected(as(t, "nobody"), r.conn); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a call of nobody = %v, want Unauthenticated", err)
	}
	if log := r.log.String(); strings.Count(log, reflection) != 1 || strings.Count(log, `"reason":"TOKEN_INVALID"`) != 1 {
		t.Errorf("the log is %q, want one line about the call", log)
	}
	_, text := r.do(t, http.MethodGet, "/metrics", "", nil)
	var counts []string
	for line := range strings.Lines(text) {
		if name, value, _ := strings.Cut(line, "} "); strings.Contains(name, "_count{") && strings.Contains(name, reflection[1:]) && strings.Contains(name, "UNAUTHENTICATED") {
			counts = append(counts, strings.TrimSpace(value))
		}
	}
	if !slices.Equal(counts, []string{"1"}) {
		t.Errorf("metrics count %q calls, want one; they are %s", counts, text)
	}
}

// reflected calls a method that is not served directly, and returns its error.
func reflected(ctx context.Context, conn *grpc.ClientConn) error {
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	if err != nil {
		return err
	}
	_, err = stream.Recv()
	return err
}
