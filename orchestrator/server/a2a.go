package server

import (
	"net"
	"net/http"
	"strings"
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

// handleA2A serves the HTTP bindings of A2A, for Quorate itself and for each agent.
func (s *Server) handleA2A(o Options) {
	config := a2aedge.HandlerConfig{
		Conn: s.rpc.Conn(), Agents: s.Registry, URL: o.PublicURL, GRPCAddress: o.PublicGRPC, Started: time.Now(),
		Service: s.a2a, Gate: s.rpc,
	}
	if _, port, err := net.SplitHostPort(o.GRPCListener.Addr().String()); err == nil {
		config.GRPCPort = port
	}
	h := a2aedge.NewHandler(config)
	s.rpc.HandleDiscarding("POST "+a2aedge.AnnouncePath+"{token}", s.announcements.Handler(s.Engine.Announced))
	const agent = a2aedge.AgentsPath + "{name}"
	for _, pattern := range []string{a2aedge.Path, a2aedge.Path + "/", agent, agent + "/"} {
		s.rpc.Handle(pattern, h)
	}
	for _, path := range []string{a2aedge.CardPath, a2aedge.LegacyCardPath} {
		s.rpc.Handle("GET "+path, http.HandlerFunc(h.ServeCard))
		s.rpc.Handle("GET "+agent+path, s.rpc.Authenticated(http.HandlerFunc(h.ServeAgentCard)))
	}
}

// reachedAt returns the base URL at which agents reach our HTTP server: as configured, or on this machine; otherwise "".
func reachedAt(o Options) string {
	if o.PublicURL != "" {
		return strings.TrimRight(o.PublicURL, "/")
	}
	host, _, err := net.SplitHostPort(o.HTTPListener.Addr().String())
	if err != nil || !net.ParseIP(host).IsLoopback() {
		return ""
	}
	return "http://" + o.HTTPListener.Addr().String()
}
