package router

import (
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

const (
	maxHops       = 5  // maximum number of agents one after the other
	maxAgents     = 64 // maximum number of agents in all: each has a task, which the task of the chain looks at again and again
	maxSearchHops = 32 // how far a search goes, so that a refusal can say that there is a chain and how long it is
)

// planChain finds the shortest chain from what is available to what is wanted, through agents that can take tasks now. If there is none, it refuses with what
// keeps the agents of one that there would be; if there is only one that is too long, it refuses for that. Neither is refused while an agent that can do it
// alone is away. Where nothing is known of a chain, it returns neither a chain nor an error.
func (r *Router) planChain(tenant string, v *view, want orchestrator.Contract, alone bool) ([]orchestrator.Link, error) {
	away := false // whether an agent was left out that may be back later
	list, hops := v.shortestChain(want, func(agent string) bool {
		a, status, ok := r.directory.Peek(tenant, agent)
		accepts := ok && r.accepts(a, status) && !r.cut(tenant, agent, status.LastHeartbeat)
		away = away || !accepts
		return accepts
	})
	switch {
	case isChain(list, hops):
		r.spread(tenant, v, list)
		return list, nil
	case alone:
		return nil, nil
	case away:
		if err := r.brokenChain(tenant, v, want); err != nil {
			return nil, err
		}
	}
	switch {
	case hops > maxHops:
		return nil, fault.New(fault.FailedPrecondition, ReasonChainTooLong,
			"no agent alone makes an output %s; it would take %d one after the other (%s) and the limit is %d", describe(want.Output), hops, chainNames(list), maxHops)
	case hops > 0:
		return nil, fault.New(fault.FailedPrecondition, ReasonChainTooLong,
			"no agent alone makes an output %s; it would take %d agents in all and the limit is %d", describe(want.Output), len(list), maxAgents)
	}
	return nil, nil
}

// isChain reports whether a search has found a chain, and one that is not too long.
func isChain(list []orchestrator.Link, hops int) bool {
	return hops > 0 && hops <= maxHops && len(list) <= maxAgents
}

// brokenChain returns the refusal for a chain that there would be if its agents could all take tasks; nil if there is none even then.
func (r *Router) brokenChain(tenant string, v *view, want orchestrator.Contract) error {
	list, hops := v.shortestChain(want, func(string) bool { return true })
	if !isChain(list, hops) {
		return nil
	}
	var why []string
	for _, l := range list {
		if obstacle := r.linkObstacle(tenant, l.Agent); obstacle != "" {
			why = append(why, l.Agent+": "+obstacle)
		}
	}
	return fault.New(fault.Unavailable, ReasonNobody, "no agent alone makes an output %s, and of those that do so one after the other (%s) not all can take a task: %s",
		describe(want.Output), chainNames(list), strings.Join(why, "; "))
}

// linkObstacle says why an agent takes no task as a part of a chain; "" if it does.
func (r *Router) linkObstacle(tenant, agent string) string {
	a, status, ok := r.directory.Peek(tenant, agent)
	if !ok {
		return "it is not registered any more"
	}
	c := candidate{agent: a, status: status}
	switch c.obstacle = r.obstacle(&c, false, registry.VersionRange{}); {
	case c.obstacle != "":
		return c.describeObstacle(registry.VersionRange{})
	case r.cut(tenant, agent, status.LastHeartbeat):
		return "it could not be reached lately and is avoided for a while"
	default:
		return ""
	}
}

// shortestChain finds the shortest chain of agents that accept tasks, and its length, 0 when there is none. Of several it is the one of the fewest agents. It
// goes in rounds: every agent that has its required inputs makes its guaranteed outputs, until one of these is what is wanted. Each agent runs once, so there
// are no cycles.
func (v *view) shortestChain(want orchestrator.Contract, accepts func(agent string) bool) (list []orchestrator.Link, hops int) {
	p := v.newPlanner(resources(want.Inputs), accepts)
	for hops = 1; hops <= maxSearchHops; hops++ {
		p.index()
		made := p.runRound()
		if len(made) == 0 {
			break
		}
		if list = p.fewestLinks(made, want.Output); list != nil {
			return list, hops
		}
	}
	return nil, 0
}

// fewestLinks returns the chain of the fewest agents that ends with one of the items that are what is wanted; nil if none is.
func (p *planner) fewestLinks(made []available, want orchestrator.Typed) (best []orchestrator.Link) {
	seen := make(map[int]bool) // by set of inputs: agents that require the same end equally long chains
	for _, x := range made {
		if seen[x.producer.inputSet] || !p.satisfies(x.Typed, want) || !p.canRun(x.producer) {
			continue
		}
		seen[x.producer.inputSet] = true
		if list := p.links(x); best == nil || len(list) < len(best) {
			best = list
		}
	}
	return best
}

// links lists the agents that have to run so that an item gets made, in order and each once.
func (p *planner) links(goal available) []orchestrator.Link {
	var list []orchestrator.Link
	place := make(map[*producer]int) // from 1; 0 for what was available at the beginning
	var add func(x available) int
	add = func(x available) int {
		if x.producer == nil || place[x.producer] > 0 {
			return place[x.producer]
		}
		link := orchestrator.Link{Agent: x.producer.agent, Output: x.Typed}
		for i, in := range p.inputSets[x.producer.inputSet] {
			got := p.items[p.assigned[x.producer.inputSet][i]]
			link.Inputs = append(link.Inputs, got.Typed)
			link.Takes = append(link.Takes, newTake(in.Name, add(got), got))
		}
		list = append(list, link)
		place[x.producer] = len(list)
		return len(list)
	}
	add(goal)
	return list
}

// newTake says where an agent's input comes from. It is not known yet whether the task has it as a named input.
func newTake(as string, from int, x available) orchestrator.Take {
	t := orchestrator.Take{As: as, From: from}
	if from > 0 {
		t.Item = x.Name
	}
	return t
}

func chainNames(list []orchestrator.Link) string {
	var names []string
	for _, l := range list {
		names = append(names, l.Agent)
	}
	return strings.Join(names, ", then ")
}
