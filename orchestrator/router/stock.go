package router

import (
	"slices"
	"strings"
)

// item is something that is there, or that an agent makes.
type item struct {
	*product
	by *worker // nil for what was there from the beginning
}

// stock is what is there while a chain is planned, and who can work with it.
//
// A need is not looked at in each round: each of its inputs waits until the first item comes that fits it, so that what comes is compared with
// what still waits only, and the need is looked at when nothing of it waits any more.
type stock struct {
	*view
	takes func(agent string) bool
	asked []answer // by worker, what takes said

	items   []item
	indexed int               // so many of the items are in lines and named
	lines   []line            // of the items, in order of their semantic type
	named   [][]int           // items, by the number of their name
	waiting map[string][]slot // inputs that nothing fits yet, by semantic type
	missing []int             // by need, how many of its inputs wait
	ready   []int             // needs of which no input waits, and that are not supplied
	gets    [][]int           // by need, the items that its inputs get; nil until it is supplied
}

// line is the items of one semantic type.
type line struct {
	kind  string
	items []int
	sated bool // no input waits that one of this type could fit
}

// answer is whether an agent takes tasks.
type answer byte

const (
	unknown answer = iota
	yes
	no
)

// newStock has what is there from the beginning.
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

// able reports whether a worker takes tasks. That is asked of those only whose items would be used, a fraction of all. What the others make is among
// the items too and is never used, so that the way is the one that there would be without them.
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

// index sorts in the items that came since it was called last.
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

// line finds the place of the items of a type.
func (s *stock) line(kind string) (at int, known bool) {
	return slices.BinarySearchFunc(s.lines, kind, func(l line, kind string) int { return strings.Compare(l.kind, kind) })
}

// meet ends the waiting of the inputs that an item fits.
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

// work has all work who can and have not, and returns what they make, in order of their names. It is not indexed yet.
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
