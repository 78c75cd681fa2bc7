package router

import (
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

// maxHops bounds how many agents work one after the other.
const maxHops = 5

// item is something that is there, or that an agent makes.
type item struct {
	orchestrator.Typed
	by *maker // nil for what was there from the beginning
}

// maker is an agent that can work, with what it would be given.
type maker struct {
	agent  registry.Agent
	inputs []item
}

// chain plans the shortest way from what is there to what is wanted through agents that can take tasks now: round by round, whoever has its
// required inputs makes its guaranteed outputs, until one is what is wanted. Each agent works once, so there are no circles. nil means that
// there is no way of at most maxHops rounds.
func chain(agents []registry.Agent, want orchestrator.Contract) []orchestrator.Link {
	var there []item
	for _, in := range want.Inputs {
		there = append(there, item{Typed: in})
	}
	idle := slices.DeleteFunc(slices.Clone(agents), func(a registry.Agent) bool { return !free(a) })
	for range maxHops {
		var made []item
		idle = slices.DeleteFunc(idle, func(a registry.Agent) bool {
			m, ok := ready(a, there)
			if !ok {
				return false
			}
			for _, o := range a.Metadata.OutputSchemas {
				if o.Guaranteed {
					made = append(made, item{Typed: orchestrator.Typed{Name: o.Name, SemanticType: o.SemanticType}, by: m})
				}
			}
			return true
		})
		for _, x := range made {
			if (want.Output.Name == "" || want.Output.Name == x.Name) && (want.Output.SemanticType == "" || standsFor(x.SemanticType, want.Output.SemanticType)) {
				return links(x)
			}
		}
		if len(made) == 0 {
			return nil
		}
		there = append(there, made...)
	}
	return nil
}

func free(a registry.Agent) bool {
	code, _ := obstacle(a.Status, false)
	return code == ""
}

// ready reports whether an agent's required inputs are there; it must require some, or it would belong to every chain.
func ready(a registry.Agent, there []item) (*maker, bool) {
	have := make([]orchestrator.Typed, len(there))
	for i, x := range there {
		have[i] = x.Typed
	}
	required := slices.DeleteFunc(slices.Clone(a.Metadata.InputSchemas), func(in registry.InputSchema) bool { return !in.Required })
	bound, missing := bind(required, have)
	if len(required) == 0 || len(missing) > 0 {
		return nil, false
	}
	m := &maker{agent: a}
	for _, in := range required {
		m.inputs = append(m.inputs, there[bound[in.Name]])
	}
	return m, true
}

// links lists who has to work so that an item gets made, in order.
func links(goal item) []orchestrator.Link {
	var list []orchestrator.Link
	var add func(x item)
	add = func(x item) {
		if x.by == nil || slices.ContainsFunc(list, func(l orchestrator.Link) bool { return l.Agent == x.by.agent.Name && l.Output == x.Typed }) {
			return
		}
		link := orchestrator.Link{Agent: x.by.agent.Name, Output: x.Typed}
		for _, in := range x.by.inputs {
			add(in)
			link.Inputs = append(link.Inputs, in.Typed)
		}
		list = append(list, link)
	}
	add(goal)
	return list
}
