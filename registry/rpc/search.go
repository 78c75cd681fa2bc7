package rpc

import (
	"context"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// BatchGetAgents returns several agents in the order of their names.
func (s *Server) BatchGetAgents(ctx context.Context, req *registryv1.BatchGetAgentsRequest) (*registryv1.BatchGetAgentsResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	agents, err := s.registry.BatchAgents(ctx, p.Tenant, req.GetNames())
	if err != nil {
		return nil, err
	}
	out, cost := &registryv1.BatchGetAgentsResponse{}, 0
	for i := range agents {
		agent, err := agentToProto(&agents[i])
		if err != nil {
			return nil, err
		}
		if cost += costOf(&agents[i], agent); i > 0 && cost > pageBytes {
			return nil, fault.Invalid("names", "BATCH_TOO_LARGE", "the cards and metadata of these agents have more than %d bytes; ask for the first %d and then for the rest", pageBytes, i)
		}
		out.Agents = append(out.Agents, agent)
	}
	return out, nil
}

// SearchAgents finds the caller's agents by text, skill and tag.
func (s *Server) SearchAgents(ctx context.Context, req *registryv1.SearchAgentsRequest) (*registryv1.SearchAgentsResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	where := scope(p, "SearchAgents", req.GetQuery(), req.GetSkill(), req.GetTag(), req.GetAvailableOnly())
	size, cursor, err := s.open(where, req.GetPageSize(), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	search := registry.Search{Text: req.GetQuery(), Skill: req.GetSkill(), Tag: req.GetTag(), Available: req.GetAvailableOnly(), Limit: size}
	if err := decodeCursor(cursor, &search.After); err != nil {
		return nil, err
	}
	matches, more, err := s.registry.Search(ctx, p.Tenant, search)
	if err != nil {
		return nil, err
	}
	out, cost := &registryv1.SearchAgentsResponse{}, 0
	for i := range matches {
		m := &matches[i]
		agent, err := agentToProto(&m.Agent)
		if err != nil {
			return nil, err
		}
		if cost += costOf(&m.Agent, agent); i > 0 && cost > pageBytes {
			more, matches = true, matches[:i]
			break
		}
		out.Results = append(out.Results, &registryv1.AgentMatch{Agent: agent, Score: m.Score, SkillIds: m.Skills})
	}
	if more {
		out.NextPageToken, err = s.token(where, matches[len(matches)-1].Place)
	}
	return out, err
}
