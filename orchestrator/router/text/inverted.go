package text

import (
	"math/bits"
	"slices"
)

// idSet holds some of the ids of features, or hashes of as many bits, and numbers them in their order. A text has thousands of features: to look one up takes a
// fraction of the time of a map.
type idSet struct {
	known  [1 << featureBits / 64]uint64 // bit set of ids
	before [1 << featureBits / 64]int32  // by word of known, how many ids are in earlier words
	size   int
}

func newIDSet(lists ...[]uint32) *idSet {
	s := &idSet{}
	for _, list := range lists {
		for _, id := range list {
			s.known[id/64] |= 1 << (id % 64)
		}
	}
	for i, w := range s.known {
		s.before[i] = int32(s.size) //nolint:gosec // at most 1<<featureBits
		s.size += bits.OnesCount64(w)
	}
	return s
}

// number returns the number of an id, if it is known.
func (s *idSet) number(id uint32) (n int32, known bool) {
	w, bit := s.known[id/64], uint64(1)<<(id%64)
	return s.before[id/64] + int32(bits.OnesCount64(w&(bit-1))), w&bit != 0 //nolint:gosec // at most 64
}

// inverted lists for each of some ids the items that have it.
type inverted struct {
	ids    *idSet
	starts []int32 // by number of an id, where its items start; one more than there are ids
	items  []int32
}

// invert takes the ids of items, by item. Each list that it makes is in order.
func invert(ids [][]uint32) *inverted {
	x := &inverted{ids: newIDSet(ids...)}
	next := make([]int32, x.ids.size+1) // by number of an id, where its next item goes
	total := int32(0)
	for _, list := range ids {
		for _, id := range list {
			at, _ := x.ids.number(id)
			next[at+1]++
			total++
		}
	}
	for i := range x.ids.size {
		next[i+1] += next[i]
	}
	x.starts, x.items = slices.Clone(next), make([]int32, total)
	for item, list := range ids {
		for _, id := range list {
			at, _ := x.ids.number(id)
			x.items[next[at]] = int32(item)
			next[at]++
		}
	}
	return x
}

// list returns the items that have an id.
func (x *inverted) list(id uint32) []int32 {
	n, known := x.ids.number(id)
	if !known {
		return nil
	}
	return x.items[x.starts[n]:x.starts[n+1]]
}
