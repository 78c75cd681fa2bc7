package router

import (
	"fmt"

	"github.com/quorate/quorate/registry"
)

// none is the index of nothing.
const none = -1

// works holds the agents that can be part of a chain, by their needs. It belongs to a view and is read-only like that.
type works struct {
	workers []worker // in order of name
	needs   []need
	open    map[string][]slot // the inputs of all needs, by semantic type
	names   map[string]int    // the names in all needs, numbered from 0
	makes   int               // total number of products of all workers
}

// worker is an agent that can be part of a chain.
type worker struct {
	agent string
	place int       // index in workers
	need  int       // index in needs
	makes []product // guaranteed outputs
}

// product is an output with the number of its name, or none when no need has an input of this name.
type product struct {
	thing
	name int
}

// need is a set of required inputs. Agents that require the same share one need.
type need []needed

type needed struct {
	*registry.InputSchema
	name int // number of the name
}

// slot is one of the inputs of a need.
type slot struct{ need, input int }

// worksOf selects the agents that can be part of a chain: those that make something and require something; an agent without required inputs would
// belong to every chain.
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

// number returns the number of a name.
func (w *works) number(name string) int {
	if n, ok := w.names[name]; ok {
		return n
	}
	return none
}

// needsOf returns a key that is equal for agents that require the same inputs, and "" for an agent without any. An agent with a schema for an input
// has a key of its own.
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
