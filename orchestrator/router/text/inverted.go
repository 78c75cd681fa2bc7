package text

import (
	"math/bits"
	"slices"
)

// inverted lists for each of some features, or hashes of as many bits, the items that have it. A text has thousands of features: to look one up takes a
// fraction of the time of a map.
type inverted struct {
	known  [1 << featureBits / 64]uint64 // bit set of ids
	before [1 << featureBits / 64]int32  // by word of known, how many ids are in earlier words
	starts []int32                       // by number of an id, where its items start; one more than there are ids
	items  []int32
}

// invert takes the ids of items, by item. Each list that it makes is in order.
func invert(ids [][]uint32) *inverted {
	x := &inverted{}
	for _, list := range ids {
		for _, id := range list {
			x.known[id/64] |= 1 << (id % 64)
		}
	}
	n := 0
	for i, w := range x.known {
		x.before[i] = int32(n)
		n += bits.OnesCount64(w)
	}
	next := make([]int32, n+1) // by number of an id, where its next item goes
	total := int32(0)
	for _, list := range ids {
		for _, id := range list {
			at, _ := x.number(id)
			next[at+1]++
			total++
		}
	}
	for i := range n {
		next[i+1] += next[i]
	}
	x.starts, x.items = slices.Clone(next), make([]int32, total)
	for item, list := range ids {
		for _, id := range list {
			at, _ := x.number(id)
			x.items[next[at]] = int32(item)
			next[at]++
		}
	}
	return x
}

// number returns the number of an id, if it is known.
func (x *inverted) number(id uint32) (n int32, known bool) {
	w, bit := x.known[id/64], uint64(1)<<(id%64)
	return x.before[id/64] + int32(bits.OnesCount64(w&(bit-1))), w&bit != 0 //nolint:gosec // at most 64
}

// list returns the items that have an id.
func (x *inverted) list(id uint32) []int32 {
	n, known := x.number(id)
	if !known {
		return nil
	}
	return x.items[x.starts[n]:x.starts[n+1]]
}
