package rpc

import (
	"context"

	"github.com/quorate/quorate/platform/auth"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// ApplyAgent brings an agent to the requested state. An agent may apply itself only.
func (s *Server) ApplyAgent(ctx context.Context, req *registryv1.ApplyAgentRequest) (*registryv1.ApplyAgentResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	in := registry.Application{Etag: etag(ctx, req.GetEtag()), Registration: registry.Registration{
		CardURI: req.GetCardUri(), RequestID: req.GetRequestId(), Caller: p.Name, ValidateOnly: req.GetValidateOnly(),
		Name: req.GetName(),
	}}
	if !p.Is(auth.RoleAdmin) {
		in.OnlyName = p.Name
	}
	if in.RawCard, err = inlineCard(req); err != nil {
		return nil, err
	}
	if req.GetMetadata() != nil {
		m := metadataFromProto(req.GetMetadata())
		in.Metadata = &m
	}
	done, err := s.registry.Apply(ctx, p.Tenant, in)
	if err != nil {
		return nil, err
	}
	agent, err := agentToProto(&done.Agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.ApplyAgentResponse{Agent: agent, Outcome: done.Outcome, Warnings: warningsToProto(done.Warnings)}, nil
}
