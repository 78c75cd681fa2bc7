// Package server assembles Quorate: the stores, the registry, the consultation ledger, the task engine, and the servers that make them reachable. It
// is the only package that opens stores.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/consultation/otlp"
	consultationrpc "github.com/quorate/quorate/consultation/rpc"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/push"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/proto"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/catalog"
	"github.com/quorate/quorate/registry/discovery"
	registryrpc "github.com/quorate/quorate/registry/rpc"
)

// Options are the dependencies and settings of a Server. The fields before Agents are required.
type Options struct {
	Stores        *Stores
	HTTPListener  net.Listener
	GRPCListener  net.Listener
	Telemetry     *telemetry.Telemetry
	Authenticator auth.Authenticator     // for callers other than registered agents, whose tokens the registry knows
	Policy        *netguard.Policy       // which addresses cards and agents may be at
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

// Service is a gRPC service with its REST handlers and its rules.
type Service struct {
	Rules    auth.Rules
	Register func(grpc.ServiceRegistrar)
	Gateway  func(ctx context.Context, mux *runtime.ServeMux, conn *grpc.ClientConn) error // nil: it has no REST handlers
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
	meter := o.Telemetry.MeterProvider.Meter("quorate/consultation")
	ledger, err := o.Evidence.ledger(o.Stores, s.Registry, s.logger, meter)
	if err != nil {
		return s, err
	}
	receiver, err := otlp.New(ledger, otlp.Options{Logger: s.logger, Meter: meter})
	if err != nil {
		return s, err
	}
	store, pages := o.Stores.Tasks, o.Stores.Pages
	s.pool = agentclient.NewPool(o.Policy.DialContext, o.Policy.Client(netguard.ClientOptions{MaxIdlePerHost: idlePerAgent}), o.Credentials)
	s.announcements = &a2aedge.Announcements{Base: reachedAt(o), Pages: pages}
	leases, err := lease.New(lease.Config{Store: o.Stores.Leases, Logger: s.logger, Duration: o.Stores.LeaseDuration})
	if err != nil {
		return s, err
	}
	if err := observeLeases(o.Telemetry.MeterProvider.Meter("quorate/lease"), leases); err != nil {
		return s, err
	}
	embedder, err := o.Embeddings.client()
	if err != nil {
		return s, err
	}
	s.Engine, err = engine.New(engine.Config{
		Store: store, Leases: leases, Directory: s.Registry.Directory(), Connect: s.pool, Embedder: embedder, EmbedTimeout: o.Embeddings.Timeout, Ledger: ledger, Logger: s.logger,
		Tracer: o.Telemetry.TracerProvider.Tracer("quorate/engine"), Meter: o.Telemetry.MeterProvider.Meter("quorate/engine"),
		Signatures: o.Agents.Signatures, Notifier: push.New(o.Policy, a2aedge.Notification), Receiver: s.announcements.Receiver,
		MaxExchanges: o.MaxExchanges, Now: o.Stores.Now,
	})
	if err != nil {
		return s, err
	}
	s.a2a = a2aedge.New(a2aedge.Config{
		Engine: s.Engine, Store: store, Pages: pages,
		Passages: &a2aedge.Passages{Agents: o.PassThrough, Directory: s.Registry.Directory(), Pool: s.pool, Signatures: o.Agents.Signatures},
	})
	services := append([]Service{
		registryService(registryrpc.New(s.Registry, pages)),
		taskService(taskrpc.New(s.Engine, store, pages)),
		routeService(taskrpc.NewRoutes(s.Engine)),
		consultationService(consultationrpc.New(ledger, taskrpc.NewConsultations(s.Engine, store), pages)),
		a2aService(s.a2a), //nolint:contextcheck // each of its streams has a context of its own
	}, o.Services...)
	return s, s.serve(ctx, o, receiver, services)
}

// serve registers the services for gRPC, REST and OTLP.
func (s *Server) serve(ctx context.Context, o Options, receiver *otlp.Receiver, services []Service) error {
	rules := auth.Rules{}
	maps.Copy(rules, otlp.Rules())
	for _, x := range services {
		maps.Copy(rules, x.Rules)
	}
	services = append(services, callerService(taskrpc.NewCallers(rules)))
	var err error
	s.rpc, err = rpcserver.New(rpcserver.Options{
		Telemetry: o.Telemetry, Authenticator: auth.Chain(o.Authenticator, registryrpc.Tokens(s.Registry)), Rules: rules,
		HTTPListener: o.HTTPListener, GRPCListener: o.GRPCListener, AllowedHosts: o.AllowedHosts,
		ReadmitEvery: o.ReadmitEvery, Limits: o.Limits,
	})
	if err != nil {
		return fmt.Errorf("prepare the servers: %w", err)
	}
	receiver.RegisterGRPC(s.rpc.GRPC())
	s.rpc.Handle("/v1/traces", s.rpc.Authenticated(receiver.HTTPHandler(), auth.RoleAgent, auth.RoleAdmin, auth.RoleDispatcher))
	s.rpc.Handle("GET /openapi.json", http.HandlerFunc(openAPI))
	for _, x := range services {
		x.Register(s.rpc.GRPC())
		if x.Gateway == nil {
			continue
		}
		if err := s.rpc.Gateway(ctx, x.Gateway); err != nil {
			return fmt.Errorf("prepare REST: %w", err)
		}
	}
	if len(o.PassThrough) > 0 {
		a2aedge.Register(s.rpc.Direct(), s.a2a) //nolint:contextcheck // each of its streams has a context of its own
	}
	s.handleA2A(o)
	s.handleCatalog()
	if err := s.handleConsole(); err != nil {
		return fmt.Errorf("prepare the console: %w", err)
	}
	for name, ready := range o.Stores.Ready {
		s.rpc.OnReady(name, ready)
	}
	return nil
}

// Tasks returns the long-lived parts of the server, which the caller starts together with its own.
func (s *Server) Tasks() []tasks.Task {
	list := append(s.registryTasks(),
		tasks.Task{Name: "rpc", Run: s.rpc.Run},
		tasks.Task{Name: "engine", Run: s.Engine.Run},
		tasks.Task{Name: "credentials for agents", Run: s.agentauth.Run},
	)
	if s.stores.sweep != nil {
		list = append(list, tasks.Task{Name: "retention", Run: func(ctx context.Context) error { return s.stores.runSweeper(ctx, s.logger) }})
	}
	if s.stores.copies != nil {
		list = append(list, tasks.Task{Name: "backup", Run: func(ctx context.Context) error { return s.stores.copies.run(ctx, s.logger) }})
	}
	return list
}

// Close closes connections. Call it after all tasks have returned.
func (s *Server) Close() error {
	if s.pool == nil {
		return nil
	}
	return s.pool.Close()
}

func openAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(proto.OpenAPI); err != nil {
		return // the client has disconnected
	}
}

func registryService(impl registryv1.RegistryServiceServer) Service {
	return Service{
		Rules:    registryrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { registryv1.RegisterRegistryServiceServer(r, impl) },
		Gateway:  registryv1.RegisterRegistryServiceHandler,
	}
}

func taskService(impl orchestratorv1.TaskServiceServer) Service {
	return Service{
		Rules:    taskrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { orchestratorv1.RegisterTaskServiceServer(r, impl) },
		Gateway:  orchestratorv1.RegisterTaskServiceHandler,
	}
}

// routeService returns the service for routes; its rules are among those of the task service.
func routeService(impl orchestratorv1.RouteServiceServer) Service {
	return Service{
		Register: func(r grpc.ServiceRegistrar) { orchestratorv1.RegisterRouteServiceServer(r, impl) },
		Gateway:  orchestratorv1.RegisterRouteServiceHandler,
	}
}

// callerService returns the service for callers; its rules are among those of the task service.
func callerService(impl orchestratorv1.CallerServiceServer) Service {
	return Service{
		Register: func(r grpc.ServiceRegistrar) { orchestratorv1.RegisterCallerServiceServer(r, impl) },
		Gateway:  orchestratorv1.RegisterCallerServiceHandler,
	}
}

func consultationService(impl consultationv1.ConsultationServiceServer) Service {
	return Service{
		Rules:    consultationrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { consultationv1.RegisterConsultationServiceServer(r, impl) },
		Gateway:  consultationv1.RegisterConsultationServiceHandler,
	}
}
