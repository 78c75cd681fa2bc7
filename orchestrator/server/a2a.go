package server

import (
	"net"
	"net/http"
	"time"

	"google.golang.org/grpc"

	"github.com/quorate/quorate/orchestrator/a2aedge"
)

func a2aService(impl *a2aedge.Service) Service {
	return Service{
		Rules:    a2aedge.Rules(),
		Register: func(r grpc.ServiceRegistrar) { a2aedge.Register(r, impl) },
	}
}

// handleA2A opens the HTTP doors of the A2A service: Quorate's own, and one for each agent.
func (s *Server) handleA2A(o Options) {
	config := a2aedge.HandlerConfig{
		Conn: s.rpc.Conn(), Agents: s.Registry, URL: o.PublicURL, GRPCAddress: o.PublicGRPC, Started: time.Now(),
		Push: true, Service: s.a2a, Admit: s.rpc.Admit,
	}
	if _, port, err := net.SplitHostPort(o.GRPCListener.Addr().String()); err == nil {
		config.GRPCPort = port
	}
	h := a2aedge.NewHandler(config)
	const agent = a2aedge.AgentsPath + "{name}"
	for _, pattern := range []string{a2aedge.Path, a2aedge.Path + "/", agent, agent + "/"} {
		s.rpc.Handle(pattern, h)
	}
	s.rpc.Handle("GET "+a2aedge.CardPath, http.HandlerFunc(h.ServeCard))
	s.rpc.Handle("GET "+agent+a2aedge.CardPath, s.rpc.Authenticated(http.HandlerFunc(h.ServeAgentCard)))
}
