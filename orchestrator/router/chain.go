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
	agent  *registry.Agent
	takes  []string // names of its inputs
	inputs []item   // of each
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
	idle := slices.DeleteFunc(slices.Clone(v.Agents), func(a *registry.Agent) bool { return without[a.Name] || !chains(a) })
	for hops = 1; hops <= farHops; hops++ {
		var made []item
		idle = slices.DeleteFunc(idle, func(a *registry.Agent) bool {
			m, ok := v.ready(a, there)
			if ok {
				made = append(made, m.makes()...)
			}
			return ok
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

// chains reports whether an agent can be part of a chain: it must require something, or it would belong to every chain.
func chains(a *registry.Agent) bool {
	return len(a.Metadata.OutputSchemas) > 0 && slices.ContainsFunc(a.Metadata.InputSchemas, func(in registry.InputSchema) bool { return in.Required })
}

// stock is what is there in a round.
type stock struct {
	items  []item
	byName map[string][]int
	byType map[string][]int
	types  []string // of byType, in order
}

func newStock() *stock {
	return &stock{byName: make(map[string][]int), byType: make(map[string][]int)}
}

func (s *stock) add(x item) {
	n := len(s.items)
	s.items = append(s.items, x)
	s.byName[x.Name] = append(s.byName[x.Name], n)
	if at, known := slices.BinarySearch(s.types, x.SemanticType); !known {
		s.types = slices.Insert(s.types, at, x.SemanticType)
	}
	s.byType[x.SemanticType] = append(s.byType[x.SemanticType], n)
}

// ready reports whether an agent's required inputs are there. Each gets one of the same name if there is one, or else of the same type, or else one
// that may stand for it, as bind does.
func (v *view) ready(a *registry.Agent, there *stock) (*maker, bool) {
	inputs := a.Metadata.InputSchemas
	got := make([]int, len(inputs)) // what each gets, from 1; 0 is nothing yet
	give := func(to int, among []int) {
		for _, i := range among {
			if got[to] == 0 && !slices.Contains(got, i+1) && v.fits(there.items[i].thing, inputs[to]) {
				got[to] = i + 1
				return
			}
		}
	}
	places := [...]func(to int){
		func(to int) { give(to, there.byName[inputs[to].Name]) },
		func(to int) { give(to, there.byType[inputs[to].SemanticType]) },
		func(to int) {
			for _, kind := range there.types {
				if v.Related(kind, inputs[to].SemanticType) {
					give(to, there.byType[kind])
				}
			}
		},
	}
	for _, place := range places {
		for i := range inputs {
			if inputs[i].Required && got[i] == 0 {
				place(i)
			}
		}
	}
	m := &maker{agent: a}
	for i := range inputs {
		if !inputs[i].Required {
			continue
		}
		if got[i] == 0 {
			return nil, false
		}
		m.takes = append(m.takes, inputs[i].Name)
		m.inputs = append(m.inputs, there.items[got[i]-1])
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
