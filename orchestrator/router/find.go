package router

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// candidate is an agent on its way through the pipeline.
type candidate struct {
	agent     registry.Agent
	skill     string
	relevance float64 // 0 to 1: how well the agent fits what was asked, apart from how it does now
	score     float64
	load      float64
	reasons   []string
}

// found is what the first stage hands on.
type found struct {
	candidates []candidate
	rejected   []orchestrator.Rejection
	omitted    int   // further rejections
	refusal    error // why nobody fits, when candidates is empty
	chain      []orchestrator.Link
}

// find collects the agents that a route may lead to.
func (r *Router) find(ctx context.Context, tenant string, route orchestrator.Route) (found, error) {
	if err := checkFanOut(route); err != nil {
		return found{}, err
	}
	switch {
	case route.Agent != "":
		a, ok := r.directory.Agent(tenant, route.Agent)
		if !ok {
			return found{}, registry.Missing(registry.Key{Tenant: tenant, Name: route.Agent})
		}
		return found{candidates: []candidate{{agent: a, relevance: 1, reasons: []string{"named by the caller"}}}}, nil
	case route.Skill != "":
		return r.bySkill(tenant, route.Skill), nil
	case route.Contract != nil:
		return r.byContract(tenant, *route.Contract), nil
	case route.Text != "":
		return r.byText(ctx, tenant, route.Text), nil
	default:
		return found{}, fault.Invalid("route", "ROUTE_MISSING", "say where the task goes: an agent, a skill, a contract or a text")
	}
}

func (r *Router) bySkill(tenant, skill string) found {
	var f found
	for _, a := range r.directory.BySkill(tenant, skill) {
		f.candidates = append(f.candidates, candidate{agent: a, skill: skill, relevance: 1})
	}
	if len(f.candidates) == 0 {
		f.refusal = fault.New(fault.NotFound, ReasonSkillNotFound, "no agent has the skill %q", skill).With("skill", skill)
	}
	return f
}
