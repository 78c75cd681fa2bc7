package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// maxCandidates bounds how many agents with a skill are looked at.
const maxCandidates = 1000

// decide chooses the agent for a route and explains the choice. When none fits the fault says of each agent why.
func (e *Engine) decide(ctx context.Context, tenant string, r orchestrator.Route) (registry.Agent, orchestrator.Decision, error) {
	var agents []registry.Agent
	if r.Agent != "" {
		a, err := e.Agents.Agent(ctx, tenant, r.Agent)
		if err != nil {
			return registry.Agent{}, orchestrator.Decision{}, err
		}
		agents = []registry.Agent{a}
	} else {
		list, err := e.Agents.AgentsBySkill(ctx, tenant, r.Skill, "", maxCandidates)
		if err != nil {
			return registry.Agent{}, orchestrator.Decision{}, err
		}
		if len(list) == 0 {
			return registry.Agent{}, orchestrator.Decision{}, fault.New(fault.NotFound, "SKILL_NOT_FOUND", "no agent has the skill %q", r.Skill).With("skill", r.Skill)
		}
		agents = list
	}
	d := rank(agents, r, e.load(tenant))
	if len(d.Candidates) == 0 {
		var reasons []string
		for _, x := range d.Rejected {
			reasons = append(reasons, fmt.Sprintf("%s: %s", x.Agent, x.Reason))
		}
		return registry.Agent{}, d, fault.New(fault.Unavailable, "NO_AGENT_AVAILABLE", "no agent can take the task: %s", strings.Join(reasons, "; "))
	}
	d.Chosen = d.Candidates[0].Agent
	chosen := slices.IndexFunc(agents, func(a registry.Agent) bool { return a.Name == d.Chosen })
	return agents[chosen], d, nil
}

// load returns how many tasks of a tenant each agent is working on for this process.
func (e *Engine) load(tenant string) map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	load := make(map[string]int, len(e.working))
	for k, n := range e.working {
		if k.Tenant == tenant {
			load[k.ID] = n
		}
	}
	return load
}

// begin counts a task as under way with an agent until the returned function is called.
func (e *Engine) begin(tenant, agent string) (done func()) {
	k := orchestrator.Key{Tenant: tenant, ID: agent}
	count := func(n int) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.working[k] += n; e.working[k] == 0 {
			delete(e.working, k)
		}
	}
	count(1)
	return func() { count(-1) }
}

// rank sorts agents into candidates, best first, and rejected ones.
func rank(agents []registry.Agent, r orchestrator.Route, load map[string]int) orchestrator.Decision {
	var d orchestrator.Decision
	for _, a := range agents {
		status := a.Status.Status
		c := orchestrator.Candidate{Agent: a.Name, Skill: r.Skill, Reasons: []string{"status " + status}}
		switch {
		case status == "available":
			c.Score = 1
		case status == "busy":
			c.Score = 0.5
		case status == "unknown" && r.Agent != "":
			c.Score = 0.25
			c.Reasons = append(c.Reasons, "named by the caller")
		case status == "unknown":
			d.Rejected = append(d.Rejected, orchestrator.Rejection{Agent: a.Name, Code: "AGENT_UNKNOWN", Reason: "it was never heard of; it is used only when named"})
			continue
		default:
			d.Rejected = append(d.Rejected, orchestrator.Rejection{Agent: a.Name, Code: "AGENT_" + strings.ToUpper(status), Reason: unavailability(a.Status)})
			continue
		}
		if n := load[a.Name]; n > 0 {
			c.Score /= float64(1 + n)
			c.Reasons = append(c.Reasons, fmt.Sprintf("%d tasks under way", n))
		}
		d.Candidates = append(d.Candidates, c)
	}
	slices.SortStableFunc(d.Candidates, func(x, y orchestrator.Candidate) int {
		switch {
		case x.Score > y.Score:
			return -1
		case x.Score < y.Score:
			return 1
		default:
			return strings.Compare(x.Agent, y.Agent)
		}
	})
	return d
}

func unavailability(s registry.Status) string {
	text := "it is " + s.Status
	if s.ErrorMessage != "" {
		text += ": " + s.ErrorMessage
	}
	return text
}
