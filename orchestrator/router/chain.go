package router

import (
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxHops = 5  // agents that may work one after the other
	farHops = 32 // how far a plan is looked for, so that a refusal can say that there is one and how long it is
)

// plan finds the shortest way from what is there to what is wanted through agents that can take tasks now: round by round, whoever has its
// required inputs makes its guaranteed outputs, until one is what is wanted. Each agent works once, so there are no circles. A way that is
// too long is a refusal; none at all is neither.
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

// way finds the shortest way through agents that take tasks, and how many work one after the other on it.
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

// links lists who has to work so that an item gets made, in order, each once.
func (s *stock) links(goal item) []orchestrator.Link {
	var list []orchestrator.Link
	place := make(map[*worker]int) // from 1; 0 is what was there
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

// take says from where an agent gets something. Whether the task has it as an input of its own is not known yet.
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
