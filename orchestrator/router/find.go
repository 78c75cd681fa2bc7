package router

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// candidate is an agent that is considered for a task.
type candidate struct {
	agent         *registry.Agent // as the directory keeps it: read-only, and without status
	status        registry.Status
	skill         string
	match         match
	relevance     float64 // 0 to 1: how well the agent fits the request, regardless of its present state
	obstacle      string  // code of a rejection; empty: it can take the task
	drawback      drawback
	signal        signal
	latencyWeight float64 // how much the signal's latency still counts, 0 to 1
	score         float64
	load          float64
	reasons       []string
	taken         []string // why it is chosen
}

func (c *candidate) agentWithStatus() registry.Agent {
	a := *c.agent
	a.Status = c.status
	return a
}

// searchResult is the result of the first stage.
type searchResult struct {
	candidates   []candidate
	rejected     rejections
	rejectOthers func(*rejections) // rejects the least important agents, after all others; nil: there are none
	refusal      error             // why no agent fits, when candidates is empty
	chain        []orchestrator.Link
}

// refusalFor returns the fault that says why none of the candidates was left.
func (f *searchResult) refusalFor(versions registry.VersionRange) error {
	asked := func(c candidate) bool { return versions.Holds(c.agent.Card.Version) }
	switch {
	case len(f.candidates) > 0 && !slices.ContainsFunc(f.candidates, asked):
		return fault.New(fault.NotFound, ReasonVersion, "none of the agents that fit has a version that is %s", versions).With("version", versions.String())
	case f.refusal != nil && (versions.All() || len(f.candidates) == 0):
		return f.refusal
	case len(f.candidates) > 0 && !slices.ContainsFunc(f.candidates, func(c candidate) bool { return c.obstacle != CodeUnspoken }): // waiting is no use
		return f.rejected.noAgentError(fault.FailedPrecondition, CodeUnspoken)
	default:
		return f.rejected.noAgentError(fault.Unavailable, ReasonNobody)
	}
}

// find collects the agents to which a route may lead.
func (r *Router) find(ctx context.Context, tenant string, route orchestrator.Route, versions registry.VersionRange) (searchResult, error) {
	switch {
	case route.Agent != "":
		a, status, ok := r.directory.Peek(tenant, route.Agent)
		if !ok {
			return searchResult{}, registry.Missing(registry.Key{Tenant: tenant, Name: route.Agent})
		}
		return searchResult{candidates: append(r.pool.get(), candidate{agent: a, status: status, relevance: 1, reasons: []string{"named by the caller"}})}, nil
	case route.Skill != "":
		return r.bySkill(tenant, route.Skill), nil
	case route.Contract != nil:
		return r.byContract(tenant, *route.Contract, route.FanOut == nil && versions.All()), nil
	case route.Text != "":
		return r.byText(ctx, tenant, route.Text), nil
	default:
		return searchResult{}, fault.Invalid("route", "ROUTE_MISSING", "say where the task goes: an agent, a skill, a contract or a text")
	}
}

func (r *Router) bySkill(tenant, skill string) searchResult {
	f := searchResult{candidates: r.pool.get()}
	r.directory.PeekAll(tenant, slices.Values(r.directory.BySkill(tenant, skill)), func(a *registry.Agent, status registry.Status) {
		if skillOf(a, skill) != nil {
			f.candidates = append(f.candidates, candidate{agent: a, status: status, skill: skill, relevance: 1})
		}
	})
	if len(f.candidates) == 0 {
		f.refusal = fault.New(fault.NotFound, ReasonSkillNotFound, "no agent has the skill %q", skill).With("skill", skill)
	}
	return f
}

// skillOf returns a skill of an agent, which may have lost it since it was found by it: then nil.
func skillOf(a *registry.Agent, id string) *agentcard.Skill {
	for i := range a.Card.Skills { // they are large
		if s := &a.Card.Skills[i]; s.ID == id {
			return s
		}
	}
	return nil
}
