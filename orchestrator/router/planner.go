package router

import (
	"slices"
	"strings"
)

// available is something that is available, or that an agent makes.
type available struct {
	*product
	producer *producer // nil for what was available at the beginning
}

// planner holds what is available while a chain is planned, and finds the agents that can run with it.
//
// It does not examine each set of inputs in each round. Instead, each input waits for the first item that fits it, so that new items are compared only
// with inputs that still wait; a set is examined when none of its inputs waits any more.
type planner struct {
	*view
	accepts  func(agent string) bool
	accepted []ternary // by producer, the result of accepts

	items        []available
	indexed      int                   // how many of the items are in groups and byName
	groups       []typeGroup           // of the items, in order of their semantic type
	byName       [][]int               // items by the number of their name
	waiting      map[string][]inputRef // inputs that nothing fits yet, by semantic type
	waitingCount []int                 // by set, the number of its inputs that wait
	ready        []int                 // sets without waiting inputs to which nothing is assigned yet
	assigned     [][]int               // by set, the items for its inputs; nil until they are assigned
}

// typeGroup holds the items of one semantic type.
type typeGroup struct {
	semanticType string
	items        []int
	saturated    bool // no waiting input could use an item of this type
}

// ternary says whether an agent takes tasks, if that is known.
type ternary byte

const (
	unknown ternary = iota
	yes
	no
)

// newPlanner returns a planner for what is available at the beginning.
func (v *view) newPlanner(have []resource, accepts func(agent string) bool) *planner {
	p := &planner{
		view: v, accepts: accepts, accepted: make([]ternary, len(v.producers)), byName: make([][]int, len(v.nameIDs)),
		waiting: make(map[string][]inputRef, len(v.inputsByType)), waitingCount: make([]int, len(v.inputSets)), assigned: make([][]int, len(v.inputSets)),
	}
	p.items = make([]available, 0, len(have)+v.productCount)
	for _, t := range have {
		p.items = append(p.items, available{product: &product{resource: t, nameID: v.nameID(t.Name)}})
	}
	for kind, inputs := range v.inputsByType {
		p.waiting[kind] = slices.Clone(inputs)
	}
	for i, n := range v.inputSets {
		p.waitingCount[i] = len(n)
	}
	return p
}

// canRun reports whether a producer takes tasks. It is asked only for those whose items would be used, a fraction of all. Items of others are in the
// planner too but are never used, so the chain is the same as without them.
func (p *planner) canRun(by *producer) bool {
	if by == nil {
		return true
	}
	if p.accepted[by.index] == unknown {
		p.accepted[by.index] = no
		if p.accepts(by.agent) {
			p.accepted[by.index] = yes
		}
	}
	return p.accepted[by.index] == yes
}

// index indexes the items that were added since the last call.
func (p *planner) index() {
	for ; p.indexed < len(p.items); p.indexed++ {
		x := p.items[p.indexed]
		if x.nameID != none {
			p.byName[x.nameID] = append(p.byName[x.nameID], p.indexed)
		}
		at, known := p.group(x.SemanticType)
		if !known {
			p.groups = slices.Insert(p.groups, at, typeGroup{semanticType: x.SemanticType})
		}
		g := &p.groups[at]
		g.items = append(g.items, p.indexed)
		if !g.saturated {
			p.satisfy(x)
			g.saturated = x.SemanticType != "" && x.schema == nil && p.canRun(x.producer)
		}
	}
}

// group returns the index of the group of a type.
func (p *planner) group(kind string) (at int, known bool) {
	return slices.BinarySearchFunc(p.groups, kind, func(g typeGroup, kind string) int { return strings.Compare(g.semanticType, kind) })
}

// satisfy marks the inputs that an item fits as no longer waiting.
func (p *planner) satisfy(x available) {
	for kind, inputs := range p.waiting {
		if len(inputs) == 0 || x.SemanticType != "" && !p.Related(x.SemanticType, kind) {
			continue
		}
		p.waiting[kind] = slices.DeleteFunc(inputs, func(at inputRef) bool {
			if !p.fits(&x.resource, p.inputSets[at.set][at.input].InputSchema) || !p.canRun(x.producer) {
				return false
			}
			if p.waitingCount[at.set]--; p.waitingCount[at.set] == 0 {
				p.ready = append(p.ready, at.set)
			}
			return true
		})
	}
}

// runRound runs all producers that can run and have not, and returns what they make, in order of their names. The result is not indexed yet.
func (p *planner) runRound() []available {
	fresh := make([]bool, len(p.inputSets)) // by set, whether its inputs were assigned in this round
	p.ready = slices.DeleteFunc(p.ready, func(n int) bool {
		p.assigned[n] = p.assign(p.inputSets[n])
		fresh[n] = p.assigned[n] != nil
		return fresh[n]
	})
	old := len(p.items)
	for i := range p.producers {
		if by := &p.producers[i]; fresh[by.inputSet] {
			for j := range by.products {
				p.items = append(p.items, available{&by.products[j], by})
			}
		}
	}
	return p.items[old:]
}
