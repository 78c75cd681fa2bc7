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
	switch {
	case route.Agent != "":
		a, err := r.directory.Agent(ctx, tenant, route.Agent)
		if err != nil {
			return found{}, err
		}
		return found{candidates: []candidate{{agent: a, relevance: 1, reasons: []string{"named by the caller"}}}}, nil
	case route.Skill != "":
		return r.bySkill(ctx, tenant, route.Skill)
	case route.Contract != nil:
		return r.byContract(ctx, tenant, *route.Contract)
	case route.Text != "":
		return r.byText(ctx, tenant, route.Text)
	default:
		return found{}, fault.Invalid("route", "ROUTE_MISSING", "say where the task goes: an agent, a skill, a contract or a text")
	}
}

func (r *Router) bySkill(ctx context.Context, tenant, skill string) (found, error) {
	agents, err := all(func(after string) ([]registry.Agent, error) {
		return r.directory.AgentsBySkill(ctx, tenant, skill, after, pageSize)
	})
	if err != nil {
		return found{}, err
	}
	var f found
	for _, a := range agents {
		f.candidates = append(f.candidates, candidate{agent: a, skill: skill, relevance: 1})
	}
	if len(agents) == 0 {
		f.refusal = fault.New(fault.NotFound, ReasonSkillNotFound, "no agent has the skill %q", skill).With("skill", skill)
	}
	return f, nil
}

// all reads a list to its end.
func all(page func(after string) ([]registry.Agent, error)) ([]registry.Agent, error) {
	list, err := page("")
	for more := list; err == nil && len(more) == pageSize; {
		more, err = page(list[len(list)-1].Name)
		list = append(list, more...)
	}
	return list, err
}
