package router

import (
	"iter"
	"slices"
)

// assign returns the items for a set of inputs, each item used at most once, or nil when they do not suffice. Each input gets an item of the
// same name if there is one, or else of the same type, or else of a type that may stand for it, as in bind.
func (p *planner) assign(n inputSet) []int {
	got := slices.Repeat([]int{none}, len(n))
	for _, place := range []func(in requiredInput, taken []int) int{p.sameName, p.sameType, p.relatedType} {
		for i, in := range n {
			if got[i] == none {
				got[i] = place(in, got)
			}
		}
	}
	for i := range got {
		if got[i] == none && !p.reassign(n, got, i, make(map[int]bool)) {
			return nil
		}
	}
	return got
}

// reassign gives an input that was left without an item one that another input has and can do without. What has the name of its input stays there.
func (p *planner) reassign(n inputSet, got []int, to int, tried map[int]bool) bool {
	for x := range p.options(n[to]) {
		if tried[x] {
			continue
		}
		tried[x] = true
		holder := slices.Index(got, x)
		if holder < 0 || p.items[x].Name != n[holder].Name && p.reassign(n, got, holder, tried) {
			got[to] = x
			return true
		}
	}
	return false
}

// options returns the items that an input may get, in the order of preference of assign; an item may come twice.
func (p *planner) options(in requiredInput) iter.Seq[int] {
	return func(yield func(int) bool) {
		lists := [][]int{p.byName[in.nameID]}
		if at, ok := p.group(in.SemanticType); ok {
			lists = append(lists, p.groups[at].items)
		}
		for _, g := range p.groups {
			if p.Related(g.semanticType, in.SemanticType) {
				lists = append(lists, g.items)
			}
		}
		for _, list := range lists {
			for _, x := range list {
				if p.usable(x, in) && !yield(x) {
					return
				}
			}
		}
	}
}

func (p *planner) sameName(in requiredInput, taken []int) int {
	return p.firstFit(p.byName[in.nameID], in, taken)
}

func (p *planner) sameType(in requiredInput, taken []int) int {
	if at, ok := p.group(in.SemanticType); ok {
		return p.firstFit(p.groups[at].items, in, taken)
	}
	return none
}

func (p *planner) relatedType(in requiredInput, taken []int) int {
	for _, g := range p.groups {
		if p.Related(g.semanticType, in.SemanticType) {
			if x := p.firstFit(g.items, in, taken); x != none {
				return x
			}
		}
	}
	return none
}

// firstFit returns the first of some items that an input may get and that is not taken, or none.
func (p *planner) firstFit(among []int, in requiredInput, taken []int) int {
	for _, x := range among {
		if !slices.Contains(taken, x) && p.usable(x, in) {
			return x
		}
	}
	return none
}

// usable reports whether an item may be given as an input.
func (p *planner) usable(x int, in requiredInput) bool {
	return p.fits(&p.items[x].resource, in.InputSchema) && p.canRun(p.items[x].producer)
}
