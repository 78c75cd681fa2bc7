package router

import (
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

// binder assigns things that are available to the inputs of one agent after the other. It sorts the things once, since there may be hundreds of
// agents.
type binder struct {
	*view
	have  []orchestrator.Typed
	named map[string][]int // things by name
	kinds map[string]kind  // by the type of an input, for the types that were asked for
	taken []bool           // of the things
	bound []int            // by input, the thing that it gets, or none
}

// kind holds the things that an input of a type may get.
type kind struct{ same, related []int }

func (v *view) binder(have []orchestrator.Typed) *binder {
	b := &binder{view: v, have: have, named: make(map[string][]int, len(have)), kinds: make(map[string]kind), taken: make([]bool, len(have))}
	for i := range have {
		b.named[have[i].Name] = append(b.named[have[i].Name], i)
	}
	return b
}

// bind assigns to each input of an agent one of the available things: one of the same name if there is one, or else of the same type, or else of a
// type that may stand for it. Required inputs come first. It returns the thing that each input gets; the result is valid until the next call.
func (b *binder) bind(schemas []registry.InputSchema) []int {
	clear(b.taken)
	b.bound = b.bound[:0]
	for range schemas {
		b.bound = append(b.bound, none)
	}
	for _, required := range []bool{true, false} {
		for _, alike := range []func(*binder, *registry.InputSchema) []int{(*binder).namesakes, (*binder).sameType, (*binder).standIns} {
			for i := range schemas {
				if in := &schemas[i]; b.bound[i] == none && in.Required == required {
					b.give(i, in, alike(b, in))
				}
			}
		}
	}
	return b.bound
}

func (b *binder) namesakes(in *registry.InputSchema) []int { return b.named[in.Name] }
func (b *binder) sameType(in *registry.InputSchema) []int  { return b.kind(in.SemanticType).same }
func (b *binder) standIns(in *registry.InputSchema) []int  { return b.kind(in.SemanticType).related }

// give assigns to an input the first of some things that is left and fits. An input of unknown type takes a thing of its own name only, whatever the
// type of that.
func (b *binder) give(to int, in *registry.InputSchema, among []int) {
	for _, i := range among {
		h := &b.have[i]
		if b.taken[i] || h.SemanticType != "" && !b.Related(h.SemanticType, in.SemanticType) {
			continue
		}
		b.bound[to], b.taken[i] = i, true
		return
	}
}

func (b *binder) kind(name string) kind {
	k, known := b.kinds[name]
	if !known {
		for i := range b.have {
			if b.have[i].SemanticType == name {
				k.same = append(k.same, i)
			}
			if b.Related(b.have[i].SemanticType, name) {
				k.related = append(k.related, i)
			}
		}
		b.kinds[name] = k
	}
	return k
}

// lacks reports whether a required input gets nothing.
func lacks(schemas []registry.InputSchema, bound []int) bool {
	for i := range schemas {
		if schemas[i].Required && bound[i] == none {
			return true
		}
	}
	return false
}

// lacking names the required inputs that get nothing.
func lacking(schemas []registry.InputSchema, bound []int) string {
	var names []string
	for i := range schemas {
		if in := &schemas[i]; in.Required && bound[i] == none {
			names = append(names, show(orchestrator.Typed{Name: in.Name, SemanticType: in.SemanticType}))
		}
	}
	return strings.Join(names, ", ")
}

// used counts the things that are assigned.
func used(bound []int) int {
	n := 0
	for _, x := range bound {
		if x != none {
			n++
		}
	}
	return n
}
