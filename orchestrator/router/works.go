package router

import (
	"fmt"

	"github.com/quorate/quorate/registry"
)

// none stands for a number that nothing has.
const none = -1

// works is the agents that can be part of a chain, by what they need. It belongs to a view and is as read-only.
type works struct {
	workers []worker // in order of name
	needs   []need
	open    map[string][]slot // all that the needs consist of, by semantic type
	names   map[string]int    // of all that the needs consist of, numbered from 0
	makes   int               // how many products all workers make
}

// worker is an agent that can be part of a chain.
type worker struct {
	agent string
	place int       // among the workers
	need  int       // its place among the needs
	makes []product // for certain
}

// product is a thing with the number of its name, or none when no need has one of this name.
type product struct {
	thing
	name int
}

// need is the inputs that an agent requires. All that require the same have one need.
type need []needed

type needed struct {
	*registry.InputSchema
	name int // the number of its name
}

// slot is one of the inputs of a need.
type slot struct{ need, input int }

// worksOf takes the agents that can be part of a chain: those that make something, and require something, or they would belong to every chain.
func worksOf(agents []*registry.Agent) works {
	w := works{open: make(map[string][]slot), names: make(map[string]int)}
	known := make(map[string]int)
	for _, a := range agents {
		key, makes := needsOf(a), makesOf(a)
		if key == "" || len(makes) == 0 {
			continue
		}
		n, ok := known[key]
		if !ok {
			n = len(w.needs)
			known[key] = n
			w.addNeed(a.Metadata.InputSchemas)
		}
		w.workers = append(w.workers, worker{a.Name, len(w.workers), n, makes})
		w.makes += len(makes)
	}
	for _, x := range w.workers {
		for i := range x.makes {
			x.makes[i].name = w.number(x.makes[i].Name)
		}
	}
	return w
}

// number is that of a name.
func (w *works) number(name string) int {
	if n, ok := w.names[name]; ok {
		return n
	}
	return none
}

// needsOf is the same text for agents that require the same, and none for one that requires nothing. One that has a schema for an input is
// like no other.
func needsOf(a *registry.Agent) string {
	var key []byte
	for i := range a.Metadata.InputSchemas {
		in := &a.Metadata.InputSchemas[i]
		if !in.Required {
			continue
		}
		key = fmt.Appendf(key, "%q %q ", in.Name, in.SemanticType)
		if in.JSONSchema != nil {
			key = append(key, a.Name...)
		}
	}
	return string(key)
}

func makesOf(a *registry.Agent) []product {
	var list []product
	for i := range a.Metadata.OutputSchemas {
		if o := &a.Metadata.OutputSchemas[i]; o.Guaranteed {
			list = append(list, product{thing: thing{typedOf(o), o.JSONSchema}})
		}
	}
	return list
}

func (w *works) addNeed(schemas []registry.InputSchema) {
	var n need
	for i := range schemas {
		in := &schemas[i]
		if !in.Required {
			continue
		}
		name, ok := w.names[in.Name]
		if !ok {
			name = len(w.names)
			w.names[in.Name] = name
		}
		w.open[in.SemanticType] = append(w.open[in.SemanticType], slot{len(w.needs), len(n)})
		n = append(n, needed{in, name})
	}
	w.needs = append(w.needs, n)
}
