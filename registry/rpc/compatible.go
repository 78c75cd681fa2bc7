package rpc

import (
	"context"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/compat"
)

// FindCompatible finds what fits an agent's outputs or inputs.
func (s *Server) FindCompatible(ctx context.Context, req *registryv1.FindCompatibleRequest) (*registryv1.FindCompatibleResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	where := scope(p, "FindCompatible", req.GetAgentName(), req.GetDirection(), req.GetSchema(), req.GetMinTier(), req.GetAvailableOnly())
	size, cursor, err := s.open(where, req.GetPageSize(), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	query := registry.CompatibleQuery{
		Query: compat.Query{Direction: req.GetDirection(), Schema: req.GetSchema(), MinTier: req.GetMinTier()},
		Agent: req.GetAgentName(), Available: req.GetAvailableOnly(), Limit: size,
	}
	if err := decodeCursor(cursor, &query.After); err != nil {
		return nil, err
	}
	pairs, more, err := s.registry.FindCompatible(ctx, p.Tenant, query)
	if err != nil {
		return nil, err
	}
	out := &registryv1.FindCompatibleResponse{Pairs: make([]*registryv1.CompatiblePair, len(pairs))}
	for i := range pairs {
		out.Pairs[i] = pairToProto(&pairs[i])
	}
	if more {
		out.NextPageToken, err = s.token(where, pairs[len(pairs)-1].Place)
	}
	return out, err
}

func pairToProto(p *registry.Pair) *registryv1.CompatiblePair {
	return &registryv1.CompatiblePair{
		Producer: p.Producer, Output: p.Output, OutputType: p.OutputOf, Consumer: p.Consumer, Input: p.Input, InputType: p.InputOf,
		Tier: p.Tier, Path: p.Path, Explanation: p.Explanation, AgentStatus: p.Status.Status,
	}
}
