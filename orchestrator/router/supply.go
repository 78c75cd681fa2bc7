package router

import "slices"

// supply returns the items for the inputs of a need, each item used at most once, or nil when they do not suffice. Each input gets an item of the
// same name if there is one, or else of the same type, or else of a type that may stand for it, as in bind.
func (s *stock) supply(n need) []int {
	got := slices.Repeat([]int{none}, len(n))
	for _, place := range []func(in needed, but []int) int{s.namesake, s.sameType, s.standIn} {
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

func (s *stock) namesake(in needed, but []int) int {
	return s.first(s.named[in.name], in, but)
}

func (s *stock) sameType(in needed, but []int) int {
	if at, ok := s.line(in.SemanticType); ok {
		return s.first(s.lines[at].items, in, but)
	}
	return none
}

func (s *stock) standIn(in needed, but []int) int {
	for _, l := range s.lines {
		if s.Related(l.kind, in.SemanticType) {
			if x := s.first(l.items, in, but); x != none {
				return x
			}
		}
	}
	return none
}

// first returns the first of the items that an input may get.
func (s *stock) first(among []int, in needed, but []int) int {
	for _, x := range among {
		if !slices.Contains(but, x) && s.fits(&s.items[x].thing, in.InputSchema) && s.able(s.items[x].by) {
			return x
		}
	}
	return none
}
