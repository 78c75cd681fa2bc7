package e2e_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/benchtest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/grpcwire"
	"github.com/quorate/quorate/platform/http1"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// edge is the path of a passed-through call and nothing else: listeners, directory and connections to agents are those of Quorate, but every caller is the
// same dispatcher, and there are no limits, metrics or traces. These are the difference between edge and server.
type edge struct {
	agent addresses
	name  string
}

// serve serves until the process is killed.
func (e edge) serve(over listeners) error {
	ballast := make([]byte, benchtest.Ballast)
	defer runtime.KeepAlive(ballast)
	agents, err := e.registry(context.Background())
	if err != nil {
		return err
	}
	policy := &netguard.Policy{AllowLoopback: true}
	pool := agentclient.NewPool(policy.DialContext, policy.Client(netguard.ClientOptions{}), nil)
	service := a2aedge.New(a2aedge.Config{Directory: agents.Directory(), Passages: a2aedge.Passages{Agents: []string{"*"}, Pool: pool}})
	caller := auth.Principal{Tenant: auth.DefaultTenant, Name: "anybody", Roles: []auth.Role{auth.RoleDispatcher}}
	server := grpcwire.NewServer(grpcwire.Options{
		Logger: slog.Default(), MaxRequest: 4 << 20, MaxStreams: 1000, Workers: 128, Connect: time.Minute, PingAfter: time.Minute, PingTimeout: time.Minute,
		Unary: func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			return next(auth.NewContext(ctx, caller), req)
		},
	})
	a2aedge.Register(server, service)
	handler := a2aedge.NewHandler(a2aedge.HandlerConfig{
		Service: service, Gate: openGate{caller},
	})
	front := http1.New(http1.Options{
		Handler: handler, Logger: slog.New(slog.DiscardHandler), ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: http.DefaultMaxHeaderBytes,
	})
	go func() { _ = front.Serve(over[1]) }()
	_, err = server.Front(over[0]).Accept() // nothing comes that is not the server's
	return err
}

// openGate admits everybody as one caller.
type openGate struct{ caller auth.Principal }

func (openGate) ReadBody(r *http.Request) ([]byte, error) { return io.ReadAll(r.Body) }

func (openGate) TakeTurn(ctx context.Context, _ int) (context.Context, func(), error) {
	return ctx, func() {}, nil
}

func (g openGate) Admit(ctx context.Context, _ http.Header, _ string) (context.Context, error) {
	return auth.NewContext(ctx, g.caller), nil
}

func (openGate) Enter(context.Context) (func(), error) { return func() {}, nil }

func (openGate) WhileAdmitted(ctx context.Context, _ http.Header, _ string) (context.Context, func()) {
	return ctx, func() {}
}

// registry returns a registry with the agent. Its file has no name any more, so that it goes with the process.
func (e edge) registry(ctx context.Context) (*registry.Registry, error) {
	dir, err := os.MkdirTemp("", "quorate-edge")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := boltdb.Open(filepath.Join(dir, "quorate.db"), boltdb.Options{})
	if err != nil {
		return nil, err
	}
	store, err := embedded.New(ctx, db)
	if err != nil {
		return nil, err
	}
	r := registry.New(store, registry.Options{})
	_, _, err = r.Register(ctx, auth.DefaultTenant, registry.Registration{RawCard: cardOf(e.name, false, e.agent)})
	return r, err
}
