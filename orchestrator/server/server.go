// Package server assembles Quorate: the stores, the registry, the consultation ledger, the task engine, and the servers that make them reachable. It
// is the only package that opens stores.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/catalog"
	"github.com/quorate/quorate/registry/discovery"
)

// idlePerAgent is the maximum number of idle HTTP connections to one agent. With the default of 2, thousands of new ones are made under load.
const idlePerAgent = 64

// Options are the dependencies and settings of a Server. The fields before Agents are required.
type Options struct {
	Stores        *Stores
	HTTPListener  net.Listener
	GRPCListener  net.Listener
	Telemetry     *telemetry.Telemetry
	Authenticator auth.Authenticator     // for callers other than registered agents, whose tokens the registry knows
	Policy        *netguard.Policy       // which addresses cards and agents may be at
	Receivers     *netguard.Policy       // which addresses receivers of push notifications may be at, which dispatchers choose
	Agents        Agents                 // where agents come from besides the API
	Credentials   *agentauth.Credentials // credentials for agents; nil for none
	MaxExchanges  int                    // tasks with agents at a time; 0: the engine's default
	PassThrough   []string               // agents whose A2A calls are passed on unchanged and not tracked; see a2aedge.Passages
	Embeddings    Embeddings             // second stage of routing by text
	Evidence      Evidence               // what counts as evidence of a consultation
	Services      []Service              // additional services on the same ports
	AllowedHosts  []string               // host names that clients may use besides localhost and the addresses of the listener
	PublicURL     string                 // of HTTP, for cards; empty: as in the request for the card
	PublicGRPC    string                 // host:port of gRPC, for cards
	ReadmitEvery  time.Duration          // as in rpcserver.Options
	Limits        rpcserver.Limits       // on what one caller can make the server do
}

// Server is an assembled Quorate.
type Server struct {
	Registry *registry.Registry
	Engine   *engine.Engine

	logger     *slog.Logger
	stores     *Stores
	discoverer *discovery.Discoverer
	catalog    *catalog.Catalog
	pool       *agentclient.Pool
	agentauth  *agentauth.Credentials
	a2a        *a2aedge.Service

	announcements *a2aedge.Announcements
	rpc           *rpcserver.Server
	ballast       []byte
}

// New creates a server. It serves nothing before its tasks run. The caller must call Close, even after an error of a task.
func New(ctx context.Context, o Options) (s *Server, err error) {
	s = &Server{logger: o.Telemetry.Logger, stores: o.Stores, ballast: newBallast(), agentauth: o.Credentials}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.openRegistry(o); err != nil {
		return s, err
	}
	ledger, receiver, err := s.openEvidence(o)
	if err != nil {
		return s, err
	}
	s.pool = agentclient.NewPool(o.Policy.DialContext, o.Policy.Client(netguard.ClientOptions{MaxIdlePerHost: idlePerAgent}), o.Credentials)
	if err := observe(o.Telemetry.MeterProvider.Meter("quorate/agentclient"), metricCallsInLine, "Calls to agents that wait for their turn.", s.pool.CallsInLine); err != nil {
		return s, err
	}
	s.announcements = &a2aedge.Announcements{Base: reachedAt(o), Pages: o.Stores.Pages}
	if s.Engine, err = s.newEngine(o, ledger); err != nil {
		return s, err
	}
	s.a2a = a2aedge.New(a2aedge.Config{
		Engine: s.Engine, Store: o.Stores.Tasks, Pages: o.Stores.Pages, Directory: s.Registry.Directory(),
		Passages: a2aedge.Passages{Agents: o.PassThrough, Pool: s.pool, Signatures: o.Agents.Signatures},
	})
	return s, s.serve(ctx, o, receiver, s.services(o, ledger)) //nolint:contextcheck // each stream of a2a has a context of its own
}

// newEngine creates the engine and the leases on its work.
func (s *Server) newEngine(o Options, ledger *consultation.Ledger) (*engine.Engine, error) {
	leases, err := lease.New(lease.Config{Store: o.Stores.Leases, Logger: s.logger, Duration: o.Stores.LeaseDuration})
	if err != nil {
		return nil, err
	}
	if err := observe(o.Telemetry.MeterProvider.Meter("quorate/lease"), metricGroups, "Groups of tasks that this replica works on.", leases.Held); err != nil {
		return nil, err
	}
	embedder, err := o.Embeddings.client()
	if err != nil {
		return nil, err
	}
	return engine.New(engine.Config{
		Store: o.Stores.Tasks, Leases: leases, Directory: s.Registry.Directory(), Connect: s.pool, Ledger: ledger, Logger: s.logger,
		Embedder: embedder, EmbedTimeout: o.Embeddings.Timeout,
		Tracer: o.Telemetry.TracerProvider.Tracer("quorate/engine"), Meter: o.Telemetry.MeterProvider.Meter("quorate/engine"),
		Signatures: o.Agents.Signatures, Speaks: agentclient.Speaks, Notifier: push.New(o.Receivers, a2aedge.Notification), Receiver: s.announcements.Receiver,
		MaxExchanges: o.MaxExchanges, Now: o.Stores.Now,
	})
}

// Tasks returns the long-lived parts of the server, which the caller starts together with its own.
func (s *Server) Tasks() []tasks.Task {
	list := append(s.registryTasks(),
		tasks.Task{Name: "rpc", Run: s.rpc.Run},
		tasks.Task{Name: "engine", Run: s.Engine.Run},
		tasks.Task{Name: "credentials for agents", Run: s.agentauth.Run},
	)
	if s.stores.sweep != nil {
		clock := func() time.Time { return time.Now().Round(0) }
		list = append(list, tasks.Task{Name: "retention", Run: (&sweeper{s.stores.sweep, s.logger, clock}).run})
	}
	if s.stores.copies != nil {
		list = append(list, tasks.Task{Name: "backup", Run: func(ctx context.Context) error { return s.stores.copies.run(ctx, s.logger) }})
	}
	return list
}

// Close implements io.Closer: it closes connections. Call it after all tasks have returned.
func (s *Server) Close() error {
	if s.pool != nil {
		s.pool.Close()
	}
	return nil
}
