package rpc

import (
	"context"
	"encoding/json"
	"fmt"

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
		if cost += len(agents[i].RawCard); i > 0 && cost > pageBytes {
			return nil, fault.Invalid("names", "BATCH_TOO_LARGE", "the cards of these agents have more than %d bytes; ask for the first %d and then for the rest", pageBytes, i)
		}
		agent, err := agentToProto(&agents[i])
		if err != nil {
			return nil, err
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
		if cost += len(m.Agent.RawCard); i > 0 && cost > pageBytes {
			more, matches = true, matches[:i]
			break
		}
		agent, err := agentToProto(&m.Agent)
		if err != nil {
			return nil, err
		}
		out.Results = append(out.Results, &registryv1.AgentMatch{Agent: agent, Score: m.Score, SkillIds: m.Skills})
	}
	if more {
		out.NextPageToken, err = s.token(where, matches[len(matches)-1].Place)
	}
	return out, err
}

// token returns the page token for the place where the page ended.
func (s *Server) token(where string, place any) (string, error) {
	cursor, err := json.Marshal(place)
	if err != nil {
		return "", fmt.Errorf("encoding page cursor: %w", err)
	}
	return s.pages.Encode(where, cursor), nil
}

// decodeCursor reads what token made; the first page has no cursor.
func decodeCursor(cursor []byte, place any) error {
	if cursor == nil {
		return nil
	}
	if err := json.Unmarshal(cursor, place); err != nil {
		return fmt.Errorf("decoding page cursor: %w", err)
	}
	return nil
}
