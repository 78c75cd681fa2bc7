package rpc

import (
	"context"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// ApproveAgentChange puts the change that waits into force.
func (s *Server) ApproveAgentChange(ctx context.Context, req *registryv1.ApproveAgentChangeRequest) (*registryv1.ApproveAgentChangeResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	agent, warnings, err := s.writer(p, req).Approve(ctx, p.Tenant, req.GetName(), etag(ctx, req.GetEtag()))
	if err != nil {
		return nil, err
	}
	out, err := agentToProto(&agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.ApproveAgentChangeResponse{Agent: out, Warnings: warningsToProto(warnings)}, nil
}

// RejectAgentChange ends the wait of a change.
func (s *Server) RejectAgentChange(ctx context.Context, req *registryv1.RejectAgentChangeRequest) (*registryv1.RejectAgentChangeResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	once := s.once(p, req.GetRequestId())
	agent, err := once.Reject(ctx, p.Tenant, req.GetName(), etag(ctx, req.GetEtag()))
	if err != nil {
		return nil, err
	}
	out, err := agentToProto(&agent)
	if err != nil {
		return nil, err
	}
	return &registryv1.RejectAgentChangeResponse{Agent: out}, nil
}

// pendingToProto returns nil when nothing waits.
func pendingToProto(p *registry.Pending) (*registryv1.PendingChange, error) {
	if p == nil {
		return nil, nil
	}
	out := &registryv1.PendingChange{Author: p.Author(), CreateTime: timeToProto(p.Time())}
	if p.Card != nil {
		out.Version, out.CardUri = p.Card.Version, p.Card.CardURI
	}
	if p.Schemas != nil {
		metadata, err := metadataToProto(&agentcard.Metadata{InputSchemas: p.Schemas.InputSchemas, OutputSchemas: p.Schemas.OutputSchemas})
		if err != nil {
			return nil, err
		}
		out.Metadata = metadata
	}
	for _, d := range p.Differences() {
		out.Differences = append(out.Differences, &registryv1.Difference{Field: d.Field, Old: d.Old, New: d.New})
	}
	return out, nil
}
