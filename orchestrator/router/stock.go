package router

import (
	"slices"
	"strings"
)

// item is something that is available, or that an agent makes.
type item struct {
	*product
	by *worker // nil for what was available at the beginning
}

// stock holds what is available while a chain is planned, and finds the agents that can work with it.
//
// It does not examine each need in each round. Instead, each input of a need waits for the first item that fits it, so that new items are compared
// only with inputs that still wait; a need is examined when none of its inputs waits any more.
type stock struct {
	*view
	takes func(agent string) bool
	asked []answer // by worker, the result of takes

	items   []item
	indexed int               // how many of the items are in lines and named
	lines   []line            // of the items, in order of their semantic type
	named   [][]int           // items by the number of their name
	waiting map[string][]slot // inputs that nothing fits yet, by semantic type
	missing []int             // by need, the number of its inputs that wait
	ready   []int             // needs without waiting inputs that are not supplied yet
	gets    [][]int           // by need, the items for its inputs; nil until it is supplied
}

// line holds the items of one semantic type.
type line struct {
	kind  string
	items []int
	sated bool // no waiting input could use an item of this type
}

// answer says whether an agent takes tasks, if that is known.
type answer byte

const (
	unknown answer = iota
	yes
	no
)

// newStock returns a stock of what is available at the beginning.
func (v *view) newStock(have []thing, takes func(agent string) bool) *stock {
	s := &stock{
		view: v, takes: takes, asked: make([]answer, len(v.workers)), named: make([][]int, len(v.names)),
		waiting: make(map[string][]slot, len(v.open)), missing: make([]int, len(v.needs)), gets: make([][]int, len(v.needs)),
	}
	s.items = make([]item, 0, len(have)+v.makes)
	for _, t := range have {
		s.items = append(s.items, item{product: &product{t, v.number(t.Name)}})
	}
	for kind, slots := range v.open {
		s.waiting[kind] = slices.Clone(slots)
	}
	for i, n := range v.needs {
		s.missing[i] = len(n)
	}
	return s
}

// able reports whether a worker takes tasks. It is asked only for workers whose items would be used, a fraction of all. Items of other workers are in
// the stock too but are never used, so the chain is the same as without them.
func (s *stock) able(w *worker) bool {
	if w == nil {
		return true
	}
	if s.asked[w.place] == unknown {
		s.asked[w.place] = no
		if s.takes(w.agent) {
			s.asked[w.place] = yes
		}
	}
	return s.asked[w.place] == yes
}

// index indexes the items that were added since the last call.
func (s *stock) index() {
	for ; s.indexed < len(s.items); s.indexed++ {
		x := s.items[s.indexed]
		if x.name != none {
			s.named[x.name] = append(s.named[x.name], s.indexed)
		}
		at, known := s.line(x.SemanticType)
		if !known {
			s.lines = slices.Insert(s.lines, at, line{kind: x.SemanticType})
		}
		l := &s.lines[at]
		l.items = append(l.items, s.indexed)
		if !l.sated {
			s.meet(x)
			l.sated = x.SemanticType != "" && x.schema == nil && s.able(x.by)
		}
	}
}

// line returns the index of the line of a type.
func (s *stock) line(kind string) (at int, known bool) {
	return slices.BinarySearchFunc(s.lines, kind, func(l line, kind string) int { return strings.Compare(l.kind, kind) })
}

// meet marks the inputs that an item fits as no longer waiting.
func (s *stock) meet(x item) {
	for kind, slots := range s.waiting {
		if len(slots) == 0 || x.SemanticType != "" && !s.Related(x.SemanticType, kind) {
			continue
		}
		s.waiting[kind] = slices.DeleteFunc(slots, func(at slot) bool {
			if !s.fits(&x.thing, s.needs[at.need][at.input].InputSchema) || !s.able(x.by) {
				return false
			}
			if s.missing[at.need]--; s.missing[at.need] == 0 {
				s.ready = append(s.ready, at.need)
			}
			return true
		})
	}
}

// work has all workers work that can and have not, and returns what they make, in order of their names. The result is not indexed yet.
func (s *stock) work() []item {
	fresh := make([]bool, len(s.needs))
	before := len(s.ready)
	s.ready = slices.DeleteFunc(s.ready, func(n int) bool {
		s.gets[n] = s.supply(s.needs[n])
		fresh[n] = s.gets[n] != nil
		return fresh[n]
	})
	if len(s.ready) == before {
		return nil
	}
	old := len(s.items)
	for i := range s.workers {
		if w := &s.workers[i]; fresh[w.need] {
			for j := range w.makes {
				s.items = append(s.items, item{&w.makes[j], w})
			}
		}
	}
	return s.items[old:]
}
