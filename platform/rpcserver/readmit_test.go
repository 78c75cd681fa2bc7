package rpcserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/platform/rpcserver"
)

// doorman says of every token what it is told.
type doorman struct {
	mu    sync.Mutex
	owner auth.Principal // guarded by mu
	err   error          // guarded by mu
}

// Authenticate returns the owner of whatever token.
func (d *doorman) Authenticate(context.Context, string) (auth.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.owner, d.err
}

func (d *doorman) tell(change func(*doorman)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// watchWithin opens a stream that stays silent, lets the caller's standing change after a while, and returns how the stream ended within ten minutes; nil when it did not.
func watchWithin(t *testing.T, change func(*doorman)) (ended error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		door := &doorman{owner: auth.Principal{Tenant: "a", Name: "ann", Roles: []auth.Role{auth.RoleViewer}}}
		o := options(t, io.Discard)
		_, _ = o.GRPCListener.Close(), o.HTTPListener.Close() // time stands still while a network is waited for
		l := bufconn.Listen(1 << 10)
		o.GRPCListener, o.HTTPListener, o.Authenticator = l, nil, door
		s, err := rpcserver.New(o)
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		s.GRPC().RegisterService(&libraryService, nil)
		running, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(running) }()
		conn, err := grpc.NewClient("passthrough:///l", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(as(t, "token"))
		stream := watch(ctx, t, conn, newMessage("WatchBooksRequest", "then", "slow"))
		over := make(chan error, 1)
		go func() { over <- stream.RecvMsg(newMessage("Book")) }()
		<-time.After(5 * time.Minute) // it is open, and its caller was admitted again
		door.tell(change)
		select {
		case ended = <-over:
		case <-time.After(10 * time.Minute):
		}
		leave()
		_ = conn.Close() // the server sees it
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v when it is stopped, want no error", err)
		}
	})
	return ended
}

func TestAStreamEndsWhenItsCallerIsNotAdmittedAnyMore(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*doorman)
		code   codes.Code // OK: the stream stays
		reason string
	}{
		"nothing changes":                     {func(*doorman) {}, codes.OK, ""},
		"the key is taken away":               {func(d *doorman) { d.err = fault.New(fault.Unauthenticated, "TOKEN_INVALID", "no") }, codes.Unauthenticated, "TOKEN_INVALID"},
		"the role is taken away":              {func(d *doorman) { d.owner.Roles = []auth.Role{auth.RoleAgent} }, codes.PermissionDenied, "ROLE_MISSING"},
		"the key is another tenant's":         {func(d *doorman) { d.owner.Tenant = "b" }, codes.Unavailable, "CALLER_CHANGED"},
		"the key is somebody else's":          {func(d *doorman) { d.owner.Name = "bob" }, codes.Unavailable, "CALLER_CHANGED"},
		"the key may more than before":        {func(d *doorman) { d.owner.Roles = []auth.Role{auth.RoleViewer, auth.RoleAdmin} }, codes.Unavailable, "CALLER_CHANGED"},
		"it cannot be told who the caller is": {func(d *doorman) { d.err = fault.New(fault.Unavailable, "PROVIDER_AWAY", "later") }, codes.OK, ""},
		"we fail":                             {func(d *doorman) { d.err = errors.New("oops") }, codes.OK, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := watchWithin(t, test.change)
			if test.code == codes.OK {
				if err != nil {
					t.Errorf("the stream ended with %v, want it to stay", err)
				}
				return
			}
			if got := rpcfault.Status(err).Code(); got != test.code || fault.ReasonOf(rpcfault.FromStatus(err)) != test.reason {
				t.Errorf("the stream ended with %v, want %v %s", err, test.code, test.reason)
			}
		})
	}
}
