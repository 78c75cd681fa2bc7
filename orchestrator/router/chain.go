package router

import (
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxHops = 5  // maximum number of agents in a chain
	farHops = 32 // how far a search goes, so that a refusal can say that there is a chain and how long it is
)

// plan finds the shortest chain from what is available to what is wanted, through agents that can take tasks now. It goes in rounds: every agent that
// has its required inputs makes its guaranteed outputs, until one of these is what is wanted. Each agent works once, so there are no cycles. A chain
// that is too long is a refusal; if there is none, plan returns neither a chain nor an error.
func (r *Router) plan(tenant string, v *view, want orchestrator.Contract) ([]orchestrator.Link, error) {
	list, hops := v.way(want, func(agent string) bool {
		a, status, ok := r.directory.Peek(tenant, agent)
		return ok && Takes(status) && r.trusts(a.Verification) && !r.cut(tenant, agent)
	})
	if hops > maxHops {
		return nil, fault.New(fault.FailedPrecondition, ReasonChainTooLong,
			"no agent alone makes an output %s; it would take %d one after the other (%s) and the limit is %d", show(want.Output), hops, agentsOf(list), maxHops)
	}
	return list, nil
}

// way finds the shortest chain of agents for which takes reports true, and its length.
func (v *view) way(want orchestrator.Contract, takes func(agent string) bool) (list []orchestrator.Link, hops int) {
	s := v.newStock(things(want.Inputs), takes)
	for hops = 1; hops <= farHops; hops++ {
		s.index()
		made := s.work()
		if len(made) == 0 {
			break
		}
		for _, x := range made {
			if v.serves(x.Typed, want.Output) && s.able(x.by) {
				return s.links(x), hops
			}
		}
	}
	return nil, 0
}

// links lists the agents that have to work so that an item gets made, in order and each once.
func (s *stock) links(goal item) []orchestrator.Link {
	var list []orchestrator.Link
	place := make(map[*worker]int) // from 1; 0 for what was available at the beginning
	var add func(x item) int
	add = func(x item) int {
		if x.by == nil || place[x.by] > 0 {
			return place[x.by]
		}
		link := orchestrator.Link{Agent: x.by.agent, Output: x.Typed}
		for i, in := range s.needs[x.by.need] {
			got := s.items[s.gets[x.by.need][i]]
			link.Inputs = append(link.Inputs, got.Typed)
			link.Takes = append(link.Takes, take(in.Name, add(got), got))
		}
		list = append(list, link)
		place[x.by] = len(list)
		return len(list)
	}
	add(goal)
	return list
}

// take says where an agent's input comes from. It is not known yet whether the task has it as a named input.
func take(as string, from int, x item) orchestrator.Take {
	t := orchestrator.Take{As: as, From: from}
	if from > 0 {
		t.Item = x.Name
	}
	return t
}

func agentsOf(list []orchestrator.Link) string {
	var names []string
	for _, l := range list {
		names = append(names, l.Agent)
	}
	return strings.Join(names, ", then ")
}
