package router

import (
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

const (
	maxHops = 5  // agents that may work one after the other
	farHops = 32 // how far a plan is looked for, so that a refusal can say that there is one and how long it is

	maxDetours = 50 // agents that are found on the way and cannot take tasks; more are no way
)

// item is something that is there, or that an agent makes.
type item struct {
	thing
	by *maker // nil for what was there from the beginning
}

// maker is an agent that can work, with what it would be given.
type maker struct {
	agent *registry.Agent
	*supply
}

// plan finds the shortest way from what is there to what is wanted through agents that can take tasks now: round by round, whoever has its
// required inputs makes its guaranteed outputs, until one is what is wanted. Each agent works once, so there are no circles. A way that is
// too long is a refusal; none at all is neither.
//
// Whether an agent can take tasks is looked at for those on the way only; one that cannot is left out and the way is looked for anew.
func (r *Router) plan(tenant string, v *view, want orchestrator.Contract) ([]orchestrator.Link, error) {
	out := make(map[string]bool)
	for {
		list, hops := v.way(want, out)
		before := len(out)
		for _, l := range list {
			if a, ok := r.directory.Agent(tenant, l.Agent); !ok || !Takes(a.Status) || r.cut(tenant, l.Agent) {
				out[l.Agent] = true
			}
		}
		switch {
		case len(out) > maxDetours:
			return nil, nil
		case len(out) > before:
			continue
		case hops > maxHops:
			return nil, fault.New(fault.FailedPrecondition, ReasonChainTooLong,
				"no agent alone makes an output %s; it would take %d one after the other (%s) and the limit is %d", show(want.Output), hops, agentsOf(list), maxHops)
		default:
			return list, nil
		}
	}
}

// way finds the shortest way without some agents, and how many work one after the other on it.
func (v *view) way(want orchestrator.Contract, without map[string]bool) (list []orchestrator.Link, hops int) {
	there := newStock()
	for _, t := range things(want.Inputs) {
		there.add(item{thing: t})
	}
	idle := slices.DeleteFunc(slices.Clone(v.workers), func(w worker) bool { return without[w.agent.Name] })
	for hops = 1; hops <= farHops; hops++ {
		var made []item
		looked, supplies := make([]bool, v.needs), make([]*supply, v.needs)
		idle = slices.DeleteFunc(idle, func(w worker) bool {
			if !looked[w.needs] {
				looked[w.needs], supplies[w.needs] = true, v.supply(w, there)
			}
			s := supplies[w.needs]
			if s != nil {
				made = (&maker{w.agent, s}).makes(made)
			}
			return s != nil
		})
		for _, x := range made {
			if (want.Output.Name == "" || want.Output.Name == x.Name) && (want.Output.SemanticType == "" || v.Related(x.SemanticType, want.Output.SemanticType)) {
				return links(x), hops
			}
		}
		if len(made) == 0 {
			break
		}
		for _, x := range made {
			there.add(x)
		}
	}
	return nil, 0
}

// makes adds what a maker makes for certain.
func (m *maker) makes(made []item) []item {
	for _, o := range m.agent.Metadata.OutputSchemas {
		if o.Guaranteed {
			made = append(made, item{thing{orchestrator.Typed{Name: o.Name, SemanticType: o.SemanticType}, o.JSONSchema}, m})
		}
	}
	return made
}

// links lists who has to work so that an item gets made, in order, each once.
func links(goal item) []orchestrator.Link {
	var list []orchestrator.Link
	place := make(map[*maker]int) // from 1; 0 is what was there
	var add func(x item) int
	add = func(x item) int {
		if x.by == nil || place[x.by] > 0 {
			return place[x.by]
		}
		link := orchestrator.Link{Agent: x.by.agent.Name, Output: x.Typed}
		for i, in := range x.by.inputs {
			link.Inputs = append(link.Inputs, in.Typed)
			link.Takes = append(link.Takes, take(x.by.takes[i], add(in), in))
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
