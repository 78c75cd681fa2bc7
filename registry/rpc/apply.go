package rpc

import (
	"context"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// ApplyAgent brings an agent to the requested state. An agent may apply itself only.
func (s *Server) ApplyAgent(ctx context.Context, req *registryv1.ApplyAgentRequest) (*registryv1.ApplyAgentResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	in, err := registration(&p, req)
	if err != nil {
		return nil, err
	}
	done, err := s.registry.Apply(ctx, p.Tenant, registry.Application{Etag: etag(ctx, req.GetEtag()), Registration: in})
	if err != nil {
		return nil, err
	}
	agent, err := agentToProto(&done.Agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.ApplyAgentResponse{Agent: agent, Outcome: done.Outcome, Warnings: warningsToProto(done.Warnings)}, nil
}
