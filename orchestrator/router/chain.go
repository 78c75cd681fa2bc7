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
)

// item is something that is there, or that an agent makes.
type item struct {
	thing
	by *maker // nil for what was there from the beginning
}

// maker is an agent that can work, with what it would be given.
type maker struct {
	agent  *registry.Agent
	takes  []string // names of its inputs
	inputs []item   // of each
}

// plan finds the shortest way from what is there to what is wanted through agents that can take tasks now: round by round, whoever has its
// required inputs makes its guaranteed outputs, until one is what is wanted. Each agent works once, so there are no circles. A way that is
// too long is a refusal; none at all is neither.
func (r *Router) plan(tenant string, v *view, want orchestrator.Contract) ([]orchestrator.Link, error) {
	var there []item
	for _, t := range things(want.Inputs) {
		there = append(there, item{thing: t})
	}
	idle := slices.Clone(v.Agents)
	for hops := 1; hops <= farHops; hops++ {
		var made []item
		idle = slices.DeleteFunc(idle, func(a *registry.Agent) bool {
			m, ok := v.ready(a, there)
			if !ok {
				return false
			}
			if now, there := r.directory.Agent(tenant, a.Name); !there || !Takes(now.Status) || r.cut(tenant, a.Name) {
				return true // it is of no use in a later round either
			}
			made = append(made, m.makes()...)
			return true
		})
		for _, x := range made {
			if (want.Output.Name == "" || want.Output.Name == x.Name) && (want.Output.SemanticType == "" || v.Related(x.SemanticType, want.Output.SemanticType)) {
				list := links(x)
				if hops > maxHops {
					return nil, fault.New(fault.FailedPrecondition, ReasonChainTooLong,
						"no agent alone makes an output %s; it would take %d one after the other (%s) and the limit is %d", show(want.Output), hops, agentsOf(list), maxHops)
				}
				return list, nil
			}
		}
		if len(made) == 0 {
			break
		}
		there = append(there, made...)
	}
	return nil, nil
}

// ready reports whether an agent's required inputs are there; it must require some, or it would belong to every chain.
func (v *view) ready(a *registry.Agent, there []item) (*maker, bool) {
	required := slices.DeleteFunc(slices.Clone(a.Metadata.InputSchemas), func(in registry.InputSchema) bool { return !in.Required })
	if len(required) == 0 || len(a.Metadata.OutputSchemas) == 0 {
		return nil, false
	}
	have := make([]thing, len(there))
	for i, x := range there {
		have[i] = x.thing
	}
	bound, missing := v.bind(required, have)
	if len(missing) > 0 {
		return nil, false
	}
	m := &maker{agent: a}
	for _, in := range required {
		m.takes = append(m.takes, in.Name)
		m.inputs = append(m.inputs, there[bound[in.Name]])
	}
	return m, true
}

// makes lists what a maker makes for certain.
func (m *maker) makes() []item {
	var made []item
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
