package router

import (
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry/agentcard"
)

// binder assigns available resources to the inputs of one agent after the other. It sorts the resources once, since there may be hundreds of agents.
type binder struct {
	*view
	have   []orchestrator.Typed
	byName map[string][]int       // resources by name
	byType map[string]typeMatches // by the type of an input, for the types that were asked for
	taken  []bool                 // of the resources
	tried  []bool                 // of the resources: looked at for the input that rebind is about
	bound  []int                  // by input, the resource that it gets, or none
}

// typeMatches holds the resources that an input of a type may get.
type typeMatches struct{ same, related []int }

func (v *view) binder(have []orchestrator.Typed) *binder {
	b := &binder{
		view: v, have: have, byName: make(map[string][]int, len(have)), byType: make(map[string]typeMatches),
		taken: make([]bool, len(have)), tried: make([]bool, len(have)),
	}
	for i := range have {
		b.byName[have[i].Name] = append(b.byName[have[i].Name], i)
	}
	return b
}

// bind assigns to each input of an agent one of the available resources: one of the same name if there is one, or else of the same type, or else of a
// type that may stand for it. Required inputs come first, and get what there is in another way if some would be left without so. It returns the resource that
// each input gets; the result is valid until the next call.
func (b *binder) bind(schemas []agentcard.InputSchema) []int {
	clear(b.taken)
	b.bound = b.bound[:0]
	for range schemas {
		b.bound = append(b.bound, none)
	}
	b.bindEach(schemas, true)
	for i := range schemas {
		if schemas[i].Required && b.bound[i] == none {
			clear(b.tried)
			b.rebind(schemas, i)
		}
	}
	b.bindEach(schemas, false)
	return b.bound
}

// alike are the ways to find resources for an input, in order of preference.
var alike = []func(*binder, *agentcard.InputSchema) []int{(*binder).sameName, (*binder).sameType, (*binder).relatedType}

// bindEach assigns one of the resources that are left to each of the required inputs, or of the others.
func (b *binder) bindEach(schemas []agentcard.InputSchema, required bool) {
	for _, find := range alike {
		for i := range schemas {
			if in := &schemas[i]; b.bound[i] == none && in.Required == required {
				b.assign(i, in, find(b, in))
			}
		}
	}
}

// rebind gives an input that was left without a resource one that another input has and can do without. What has the name of its input stays there.
func (b *binder) rebind(schemas []agentcard.InputSchema, to int) bool {
	for _, find := range alike {
		for _, x := range find(b, &schemas[to]) {
			if b.tried[x] || !b.usable(x, &schemas[to]) {
				continue
			}
			b.tried[x] = true
			holder := slices.Index(b.bound, x)
			if holder < 0 || b.have[x].Name != schemas[holder].Name && b.rebind(schemas, holder) {
				b.bound[to], b.taken[x] = x, true
				return true
			}
		}
	}
	return false
}

func (b *binder) sameName(in *agentcard.InputSchema) []int { return b.byName[in.Name] }
func (b *binder) sameType(in *agentcard.InputSchema) []int {
	return b.typeMatches(in.SemanticType).same
}

func (b *binder) relatedType(in *agentcard.InputSchema) []int {
	return b.typeMatches(in.SemanticType).related
}

// assign gives an input the first of some resources that is left and fits. An input of unknown type takes a resource of its own name only, whatever the
// type of that.
func (b *binder) assign(to int, in *agentcard.InputSchema, among []int) {
	for _, i := range among {
		if !b.taken[i] && b.usable(i, in) {
			b.bound[to], b.taken[i] = i, true
			return
		}
	}
}

// usable reports whether a resource that is like an input may be given as it.
func (b *binder) usable(i int, in *agentcard.InputSchema) bool {
	kind := b.have[i].SemanticType
	return kind == "" || b.Related(kind, in.SemanticType)
}

func (b *binder) typeMatches(name string) typeMatches {
	k, known := b.byType[name]
	if !known {
		for i := range b.have {
			if b.have[i].SemanticType == name {
				k.same = append(k.same, i)
			}
			if b.Related(b.have[i].SemanticType, name) {
				k.related = append(k.related, i)
			}
		}
		b.byType[name] = k
	}
	return k
}

// missesRequired reports whether a required input gets nothing.
func missesRequired(schemas []agentcard.InputSchema, bound []int) bool {
	for i := range schemas {
		if schemas[i].Required && bound[i] == none {
			return true
		}
	}
	return false
}

// missingInputs names the required inputs that get nothing.
func missingInputs(schemas []agentcard.InputSchema, bound []int) string {
	var names []string
	for i := range schemas {
		if in := &schemas[i]; in.Required && bound[i] == none {
			names = append(names, describe(orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType}))
		}
	}
	return strings.Join(names, ", ")
}

// countBound counts the inputs that get something.
func countBound(bound []int) int {
	n := 0
	for _, x := range bound {
		if x != none {
			n++
		}
	}
	return n
}
