package rpc

import (
	"context"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/page"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
)

// A page ends early when it would exceed a gRPC message (4 MiB by default; a card as a Struct takes up to three times its size), or when few agents
// match the filter and too many would have to be read.
const (
	pageBytes = 1 << 20
	pageReads = 2000
	readChunk = 50
	maxChunk  = 1000
)

// ListAgents lists the caller's agents that match a filter, in order of name or as requested.
func (s *Server) ListAgents(ctx context.Context, req *registryv1.ListAgentsRequest) (*registryv1.ListAgentsResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	filter, err := registry.ParseFilter(req.GetFilter())
	if err != nil {
		return nil, err
	}
	order, err := registry.ParseOrder(req.GetOrderBy())
	if err != nil {
		return nil, err
	}
	// The directory finds the matching agents, except when it would have to read the pulses of all agents for each page.
	known := !order.ByName() || (req.GetFilter() != "" && !filter.Loads())
	list := agentList{
		server: s, scope: scope(p, "ListAgents", req.GetFilter(), req.GetOrderBy()), size: req.GetPageSize(), token: req.GetPageToken(),
		keep: filter.Match,
		read: func(after string, limit int) ([]registry.Agent, []string, error) {
			switch {
			case known:
				return s.registry.AgentsInOrder(ctx, p.Tenant, order, filter, after, limit)
			case filter.Skill() != "":
				return byName(s.registry.AgentsWith(ctx, p.Tenant, filter.Skill(), "", after, limit))
			case filter.Tag() != "":
				return byName(s.registry.AgentsWith(ctx, p.Tenant, "", filter.Tag(), after, limit))
			default:
				return byName(s.registry.Agents(ctx, p.Tenant, after, limit))
			}
		},
	}
	if known { // each read looks at all agents, so there is only one for a page
		list.chunk = page.Size(req.GetPageSize()) + 1
	}
	agents, next, err := list.page()
	if err != nil {
		return nil, err
	}
	return &registryv1.ListAgentsResponse{Agents: agents, NextPageToken: next}, nil
}

// FindAgentsBySkill lists the caller's agents that have a skill, a tag or a skill with a tag, in order of name.
func (s *Server) FindAgentsBySkill(
	ctx context.Context, req *registryv1.FindAgentsBySkillRequest,
) (*registryv1.FindAgentsBySkillResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	list := agentList{
		server: s, scope: scope(p, "FindAgentsBySkill", req.GetSkillId(), req.GetTag(), req.GetAvailableOnly()),
		size: req.GetPageSize(), token: req.GetPageToken(),
		read: func(after string, limit int) ([]registry.Agent, []string, error) {
			return byName(s.registry.AgentsWith(ctx, p.Tenant, req.GetSkillId(), req.GetTag(), after, limit))
		},
	}
	if req.GetAvailableOnly() {
		list.keep = func(a *registry.Agent) bool { return a.Status.Status == registry.StatusAvailable }
	}
	agents, next, err := list.page()
	if err != nil {
		return nil, err
	}
	return &registryv1.FindAgentsBySkillResponse{Agents: agents, NextPageToken: next}, nil
}

// agentList reads one page of a list of agents.
type agentList struct {
	server *Server
	scope  string
	size   int32
	token  string
	read   func(after string, limit int) (agents []registry.Agent, places []string, err error) // read can continue behind each of the places
	keep   func(*registry.Agent) bool                                                          // nil keeps all
	chunk  int                                                                                 // how many agents to read at a time; 0 is readChunk
}

// costOf returns what an agent takes of pageBytes: its card and, in the form of the answer, what may be large beside that.
func costOf(a *registry.Agent, out *registryv1.Agent) int {
	return len(a.RawCard) + proto.Size(out.GetMetadata()) + proto.Size(out.GetPendingChange())
}

// byName returns agents in order of name, with their names as places.
func byName(agents []registry.Agent, err error) (_ []registry.Agent, places []string, _ error) {
	for i := range agents {
		places = append(places, agents[i].Name)
	}
	return agents, places, err
}

// page returns the agents of one page and the token of the next. A page that ended early has a token too.
func (l *agentList) page() (agents []*registryv1.Agent, next string, err error) {
	size, cursor, err := l.server.open(l.scope, l.size, l.token)
	if err != nil {
		return nil, "", err
	}
	after, cost := string(cursor), 0
	most := readChunk
	if l.chunk > 0 {
		most = min(l.chunk, maxChunk)
	}
	for reads := 0; reads < pageReads; reads += most {
		chunk, places, err := l.read(after, most)
		if err != nil {
			return nil, "", err
		}
		for i := range chunk {
			a := &chunk[i]
			if l.keep == nil || l.keep(a) {
				out, err := agentToProto(a)
				if err != nil {
					return nil, "", err
				}
				if cost += costOf(a, out); len(agents) == size || (len(agents) > 0 && cost > pageBytes) {
					return agents, l.server.pages.Encode(l.scope, []byte(after)), nil
				}
				agents = append(agents, out)
			}
			after = places[i]
		}
		if len(chunk) < most {
			return agents, "", nil
		}
	}
	return agents, l.server.pages.Encode(l.scope, []byte(after)), nil
}

// endOfName stands behind the agent's name in a cursor of ListSkills. As JSON, with its escapes, an id of 256 characters could make a token longer than
// requests may have.
const endOfName = "\x00"

// ListSkills lists the skills of the caller's agents in order of skill id and agent name.
func (s *Server) ListSkills(ctx context.Context, req *registryv1.ListSkillsRequest) (*registryv1.ListSkillsResponse, error) {
	p, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	where := scope(p, "ListSkills")
	size, cursor, err := s.open(where, req.GetPageSize(), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	var after registry.SkillKey
	after.Agent, after.Skill, _ = strings.Cut(string(cursor), endOfName)
	skills, err := s.registry.Skills(ctx, p.Tenant, after, size)
	if err != nil {
		return nil, err
	}
	out := &registryv1.ListSkillsResponse{}
	cost, more := 0, len(skills) == size
	for i := range skills {
		skill := skillToProto(&skills[i])
		if cost += proto.Size(skill); i > 0 && cost > pageBytes {
			more = true
			break
		}
		out.Skills = append(out.Skills, skill)
		after = registry.SkillKey{Skill: skill.GetId(), Agent: skill.GetAgentName()}
	}
	if more {
		out.NextPageToken = s.pages.Encode(where, []byte(after.Agent+endOfName+after.Skill))
	}
	return out, nil
}
