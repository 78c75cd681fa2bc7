package rpc

import (
	"context"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// ListAgentVersions lists the versions of an agent's card, newest first.
func (s *Server) ListAgentVersions(
	ctx context.Context, req *registryv1.ListAgentVersionsRequest,
) (*registryv1.ListAgentVersionsResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	where := scope(p, "ListAgentVersions", req.GetName())
	size, cursor, err := s.open(where, req.GetPageSize(), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	var before int64
	if err := decodeCursor(cursor, &before); err != nil {
		return nil, err
	}
	size = min(size, registry.MaxVersions)
	list, live, err := s.registry.Versions(ctx, p.Tenant, req.GetName(), before, size)
	if err != nil {
		return nil, err
	}
	out := &registryv1.ListAgentVersionsResponse{}
	for i := range list {
		out.Versions = append(out.Versions, versionToProto(&list[i], list[i].Number == live))
	}
	if len(list) == size {
		out.NextPageToken, err = s.token(where, list[size-1].Number)
	}
	return out, err
}

// GetAgentVersion returns one version with its card.
func (s *Server) GetAgentVersion(ctx context.Context, req *registryv1.GetAgentVersionRequest) (*registryv1.AgentVersion, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	v, live, err := s.registry.Version(ctx, p.Tenant, req.GetName(), req.GetVersion())
	if err != nil {
		return nil, err
	}
	out := versionToProto(&v, live)
	out.Card, err = cardToProto(v.Agent, v.RawCard)
	return out, err
}

// SetLiveVersion makes a version of an agent's card the live one.
func (s *Server) SetLiveVersion(ctx context.Context, req *registryv1.SetLiveVersionRequest) (*registryv1.SetLiveVersionResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	agent, warnings, err := s.writer(p, req).SetLiveVersion(ctx, p.Tenant, req.GetName(), etag(ctx, req.GetEtag()), req.GetVersion())
	if err != nil {
		return nil, err
	}
	out, err := agentToProto(&agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.SetLiveVersionResponse{Agent: out, Warnings: warningsToProto(warnings)}, nil
}

func versionToProto(v *registry.Version, live bool) *registryv1.AgentVersion {
	out := &registryv1.AgentVersion{
		Name: v.Agent, Version: v.Number, Hash: v.Hash, CardVersion: v.CardVersion, CardUri: v.CardURI,
		CreateTime: timeToProto(v.CreateTime), Live: live,
	}
	for _, c := range v.Breaking {
		out.BreakingChanges = append(out.BreakingChanges, &registryv1.BreakingChange{Code: c.Code, Field: c.Field, Message: c.Message})
	}
	return out
}

func verificationToProto(v *registry.Verification) *registryv1.CardVerification {
	out := &registryv1.CardVerification{
		State: v.State, KeyId: v.KeyID, VerifyTime: timeToProto(v.Time), Reason: v.Reason, Required: v.Required,
	}
	if out.GetState() == "" {
		out.State = registry.VerificationUnchecked
	}
	return out
}

func sourceToProto(s *registry.Source) *registryv1.AgentSource {
	out := &registryv1.AgentSource{Type: s.Type, Location: s.Location, Present: !s.Gone, LastSeen: timeToProto(s.SeenTime)}
	if out.GetType() == "" {
		out.Type = registry.SourceAPI
	}
	return out
}
