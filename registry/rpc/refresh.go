package rpc

import (
	"context"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// RefreshAgentCard reads an agent's card again; an agent may refresh its own only.
func (s *Server) RefreshAgentCard(ctx context.Context, req *registryv1.RefreshAgentCardRequest) (*registryv1.RefreshAgentCardResponse, error) {
	p, err := callerFor(ctx, req.GetName())
	if err != nil {
		return nil, err
	}
	agent, warnings, err := s.writer(p, req).Refresh(ctx, p.Tenant, req.GetName(), req.GetCardUri(), etag(ctx, req.GetEtag()))
	if err != nil {
		return nil, err
	}
	out, err := agentToProto(&agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.RefreshAgentCardResponse{Agent: out, Warnings: warningsToProto(warnings)}, nil
}
