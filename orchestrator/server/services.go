package server

import (
	"context"
	"fmt"
	"maps"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
	consultationrpc "github.com/quorate/quorate/consultation/rpc"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/rpcserver"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	registryrpc "github.com/quorate/quorate/registry/rpc"
)

// Service is a gRPC service with its rules.
type Service struct {
	Rules    auth.Rules
	Register func(grpc.ServiceRegistrar)
	REST     rpcserver.REST // nil: it has none
}

// services returns the services of Quorate itself, and those of o.
func (s *Server) services(o Options, ledger *consultation.Ledger) []Service {
	store, pages := o.Stores.Tasks, o.Stores.Pages
	return append([]Service{
		registryService(registryrpc.New(s.Registry, pages)),
		taskService(taskrpc.New(s.Engine, store, pages)),
		routeService(taskrpc.NewRoutes(s.Engine)),
		consultationService(consultationrpc.New(ledger, taskrpc.NewConsultations(s.Engine, store), pages)),
		a2aService(s.a2a),
	}, o.Services...)
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
	document, err := describe(rules)
	if err != nil {
		return err
	}
	s.rpc.Handle("GET /openapi.json", document)
	for _, x := range services {
		x.Register(s.rpc.GRPC())
		if x.REST == nil {
			continue
		}
		if err := s.rpc.Gateway(ctx, x.REST); err != nil {
			return fmt.Errorf("prepare REST: %w", err)
		}
	}
	a2aedge.Register(s.rpc.Direct(), s.a2a) //nolint:contextcheck // each of its streams has a context of its own
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

func registryService(impl registryv1.RegistryServiceServer) Service {
	return Service{
		Rules:    registryrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { registryv1.RegisterRegistryServiceServer(r, impl) },
		REST:     rpcserver.NewREST(registryv1.RegisterRegistryServiceHandlerClient, registryv1.NewRegistryServiceClient),
	}
}

func taskService(impl orchestratorv1.TaskServiceServer) Service {
	return Service{
		Rules:    taskrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { orchestratorv1.RegisterTaskServiceServer(r, impl) },
		REST:     rpcserver.NewREST(orchestratorv1.RegisterTaskServiceHandlerClient, orchestratorv1.NewTaskServiceClient),
	}
}

// routeService returns the service for routes; its rules are among those of the task service.
func routeService(impl orchestratorv1.RouteServiceServer) Service {
	return Service{
		Register: func(r grpc.ServiceRegistrar) { orchestratorv1.RegisterRouteServiceServer(r, impl) },
		REST:     rpcserver.NewREST(orchestratorv1.RegisterRouteServiceHandlerClient, orchestratorv1.NewRouteServiceClient),
	}
}

// callerService returns the service for callers; its rules are among those of the task service.
func callerService(impl orchestratorv1.CallerServiceServer) Service {
	return Service{
		Register: func(r grpc.ServiceRegistrar) { orchestratorv1.RegisterCallerServiceServer(r, impl) },
		REST:     rpcserver.NewREST(orchestratorv1.RegisterCallerServiceHandlerClient, orchestratorv1.NewCallerServiceClient),
	}
}

func consultationService(impl consultationv1.ConsultationServiceServer) Service {
	return Service{
		Rules:    consultationrpc.Rules(),
		Register: func(r grpc.ServiceRegistrar) { consultationv1.RegisterConsultationServiceServer(r, impl) },
		REST:     rpcserver.NewREST(consultationv1.RegisterConsultationServiceHandlerClient, consultationv1.NewConsultationServiceClient),
	}
}
