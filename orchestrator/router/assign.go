package router

import "slices"

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
	if slices.Contains(got, none) {
		return nil
	}
	return got
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
		if !slices.Contains(taken, x) && p.fits(&p.items[x].resource, in.InputSchema) && p.canRun(p.items[x].producer) {
			return x
		}
	}
	return none
}
