package rpcserver_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// refusedWays are the ways in which a caller without a valid token is refused; in each there is one line in the log.
func (r *running) refusedWays(t *testing.T) map[string]func() {
	t.Helper()
	nobody := header{"Authorization": "Bearer nobody"}
	return map[string]func(){
		"gRPC": func() {
			_ = r.conn.Invoke(as(t, "nobody"), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book"))
		},
		"REST":                    func() { r.do(t, http.MethodGet, "/v1/books/dune", "", nobody) },
		"REST with a large body":  func() { r.do(t, http.MethodPost, "/v1/books", largeBody("dune"), nobody) },
		"a handler":               func() { r.do(t, http.MethodGet, "/handled", "", nobody) },
		"a handler of long paths": func() { r.do(t, http.MethodGet, "/handled/"+strings.Repeat("x", 10_000), "", nobody) },
		"an HTTP request that stands for a call": func() {
			_, _ = r.Admit(t.Context(), http.Header{"Authorization": {"Bearer nobody"}}, getBook)
		},
	}
}

func withHandler(_ *rpcserver.Options, later func(func(*rpcserver.Server))) {
	later(func(s *rpcserver.Server) {
		handled := s.Authenticated(http.NotFoundHandler())
		s.Handle("/handled", handled)
		s.Handle("/handled/", handled)
	})
}

func TestARequestThatStandsForACallIsAdmittedByTheRuleOfItsMethod(t *testing.T) {
	t.Parallel()
	const public, closed = "/test.v1.Library/ReadSign", "/test.v1.Library/Burn"
	r := start(t, func(o *rpcserver.Options, _ func(func(*rpcserver.Server))) { o.Rules[public] = auth.Rule{Public: true} })
	for name, test := range map[string]struct{ method, token, reason, caller string }{
		"a reader":                     {getBook, readerToken, "", "ann"},
		"another role":                 {getBook, agentToken, "ROLE_MISSING", ""},
		"an unknown token":             {getBook, "nobody", "TOKEN_INVALID", ""},
		"a public method":              {public, "nobody", "", ""},
		"a method that has no rule":    {closed, readerToken, "RPC_CLOSED", ""},
		"that method for nobody known": {closed, "nobody", "RPC_CLOSED", ""},
	} {
		ctx, err := r.Admit(t.Context(), http.Header{"Authorization": {"Bearer " + test.token}}, test.method)
		if fault.ReasonOf(err) != test.reason || (err == nil) != (test.reason == "") {
			t.Errorf("Admit() of %s = %v, want the reason %q", name, err, test.reason)
			continue
		}
		if err == nil {
			if p, _ := auth.FromContext(ctx); p.Name != test.caller {
				t.Errorf("Admit() of %s lets %q call, want %q", name, p.Name, test.caller)
			}
		}
	}
}

// TestAMethodThatEscapedTheCheckAtTheStartIsClosed has a service that gRPC does not know, by whose methods the check goes.
func TestAMethodThatEscapedTheCheckAtTheStartIsClosed(t *testing.T) {
	t.Parallel()
	o := options(t, io.Discard)
	o.Rules = auth.Rules{}
	s, err := rpcserver.New(o)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	s.Direct().RegisterService(&libraryService, nil)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	conn, err := grpc.NewClient(o.GRPCListener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{readerToken, "nobody"} {
		err := conn.Invoke(as(t, token), getBook, newMessage("GetBookRequest", "name", "dune"), newMessage("Book"))
		if fault.ReasonOf(rpcfault.FromStatus(err)) != "RPC_CLOSED" {
			t.Errorf("GetBook() with the token %s = %v, want RPC_CLOSED", token, err)
		}
		if err := watch(as(t, token), t, conn, newMessage("WatchBooksRequest")).RecvMsg(newMessage("Book")); fault.ReasonOf(rpcfault.FromStatus(err)) != "RPC_CLOSED" {
			t.Errorf("WatchBooks() with the token %s = %v, want RPC_CLOSED", token, err)
		}
	}
	_ = conn.Close() // the server sees it
	stop()
	if err := <-done; err != nil {
		t.Errorf("Run() = %v, want no error", err)
	}
}

func TestARefusedCallerIsLoggedWithTheReason(t *testing.T) {
	t.Parallel()
	r := start(t, withHandler)
	for name, call := range r.refusedWays(t) {
		before := r.log.String()
		call()
		if line := strings.TrimPrefix(r.log.String(), before); strings.Count(line, `"reason":"TOKEN_INVALID"`) != 1 || !strings.Contains(line, `"level":"WARN"`) || len(line) > 2000 {
			t.Errorf("%s: the log is %q, want one short warning with the reason TOKEN_INVALID", name, line)
		}
	}
}

// TestStrangersDoNotFillTheLog has calls without a valid token come without end, which cost those who make them nothing.
func TestStrangersDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	r := start(t, withHandler)
	for range 60 {
		for _, call := range r.refusedWays(t) {
			call()
		}
	}
	if n := strings.Count(r.log.String(), "TOKEN_INVALID"); n < 100 || n > 200 {
		t.Errorf("the log has %d lines of 360 calls without a valid token, want about 100", n)
	}
	for begun := time.Now(); !strings.Contains(r.log.String(), `"unlogged":`); r.refusedWays(t)["REST"]() {
		if time.Since(begun) > time.Minute {
			t.Fatal("a minute later the log does not say how many calls have no line, want that after a second")
		}
	}
	before := r.log.String()
	for range 150 {
		_ = r.conn.Invoke(as(t, readerToken), getBook, newMessage("GetBookRequest", "name", "away"), newMessage("Book"))
	}
	if n := strings.Count(strings.TrimPrefix(r.log.String(), before), "AUTHOR_AWAY"); n != 150 {
		t.Errorf("the log has %d lines of 150 calls of a known caller that fail, want all", n)
	}
}
