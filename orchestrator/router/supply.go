package router

import (
	"fmt"
	"slices"

	"github.com/quorate/quorate/registry"
)

// supply is what agents with the same needs would be given.
type supply struct {
	takes  []string // names of their inputs
	inputs []item   // for each
}

// worker is an agent that can be part of a chain.
type worker struct {
	agent *registry.Agent
	needs int // the same for all that require the same, from 0
}

// workersOf returns the agents that can be part of a chain, and how many different needs they have.
func workersOf(agents []*registry.Agent) (list []worker, needs int) {
	known := make(map[string]int)
	for _, a := range agents {
		if !chains(a) {
			continue
		}
		key := needsOf(a)
		n, ok := known[key]
		if !ok {
			n = len(known)
			known[key] = n
		}
		list = append(list, worker{a, n})
	}
	return list, len(known)
}

// needsOf is the same text for agents that require the same. One that has a schema for an input is like no other.
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
	fitted map[[3]int]bool
}

func newStock() *stock {
	return &stock{byName: make(map[string][]int), byType: make(map[string][]int), fitted: make(map[[3]int]bool)}
}

// fits reports whether an item may be given as an input of workers with certain needs. What takes a look at two schemas is looked at once.
func (s *stock) fits(v *view, needs, to int, in *registry.InputSchema, i int) bool {
	have := s.items[i].thing
	if have.schema == nil || in.JSONSchema == nil {
		return v.fits(have, *in)
	}
	key := [3]int{needs, to, i}
	fits, known := s.fitted[key]
	if !known {
		fits = v.fits(have, *in)
		s.fitted[key] = fits
	}
	return fits
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

// supply returns what a worker would be given, or nil when not all of its required inputs are there. Each gets one of the same name if there is one, or
// else of the same type, or else one that may stand for it, as bind does.
func (v *view) supply(w worker, there *stock) *supply {
	inputs := w.agent.Metadata.InputSchemas
	got := make([]int, len(inputs)) // what each gets, from 1; 0 is nothing yet
	give := func(to int, among []int) {
		for _, i := range among {
			if got[to] == 0 && !slices.Contains(got, i+1) && there.fits(v, w.needs, to, &inputs[to], i) {
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
	s := new(supply)
	for i := range inputs {
		if !inputs[i].Required {
			continue
		}
		if got[i] == 0 {
			return nil
		}
		s.takes = append(s.takes, inputs[i].Name)
		s.inputs = append(s.inputs, there.items[got[i]-1])
	}
	return s
}
