package rpc

import (
	"context"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// DrainAgent keeps new tasks from an agent.
func (s *Server) DrainAgent(ctx context.Context, req *registryv1.DrainAgentRequest) (*registryv1.AgentStatus, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	status, err := s.registry.Drain(ctx, p.Tenant, req.GetName(), req.GetReason(), registry.Retry{Caller: p.Name, RequestID: req.GetRequestId()})
	if err != nil {
		return nil, err
	}
	return statusToProto(req.GetName(), &status), nil
}

// ResumeAgent ends draining an agent.
func (s *Server) ResumeAgent(ctx context.Context, req *registryv1.ResumeAgentRequest) (*registryv1.AgentStatus, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	status, err := s.registry.Resume(ctx, p.Tenant, req.GetName(), registry.Retry{Caller: p.Name, RequestID: req.GetRequestId()})
	if err != nil {
		return nil, err
	}
	return statusToProto(req.GetName(), &status), nil
}
