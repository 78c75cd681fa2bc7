package text

import (
	"math"
	"slices"
)

// feature is a hashed word, word pair or piece of a word, with its weight in a text.
type feature struct {
	id     uint32
	weight float32
}

const (
	featureBits = 18
	fnvOffset   = 14695981039346656037
	fnvPrime    = 1099511628211
	minPiece    = 3 // characters in a piece of a word
	maxPiece    = 5
)

// Kinds of features. The same letters as a word and as a piece are different features.
const (
	kindWord byte = 1 + iota
	kindPair
	kindPiece
)

func hash(kind byte, parts ...string) uint32 {
	h := uint64(fnvOffset)
	h = (h ^ uint64(kind)) * fnvPrime
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * fnvPrime
		}
		h = (h ^ 0xff) * fnvPrime
	}
	h ^= h >> 32
	return uint32(h) & (1<<featureBits - 1) //nolint:gosec // only the low bits are wanted
}

// hashed returns a text's features in order of id and without duplicates: whole words separately from pieces, since each kind is weighted as a whole.
func hashed(list []string) (whole, pieces []uint32) {
	return wholes(list), hashPieces(list)
}

// wholes returns a text's words and word pairs as features, in order of id and without duplicates.
func wholes(list []string) []uint32 { return ordered(append(hashWords(list), hashPairs(list)...)) }

// unordered returns the features of a set of words, which has no word pairs.
func unordered(list []string) (whole, pieces []uint32) {
	return ordered(hashWords(list)), hashPieces(list)
}

func hashWords(list []string) (ids []uint32) {
	for _, w := range list {
		ids = append(ids, hash(kindWord, w))
	}
	return ids
}

// hashPairs returns the pairs of neighbouring words, the first and the last of which have a mark for a neighbour.
func hashPairs(list []string) (ids []uint32) {
	before := "^"
	for _, w := range list {
		ids = append(ids, hash(kindPair, before, w))
		before = w
	}
	if len(list) > 0 {
		ids = append(ids, hash(kindPair, before, "$"))
	}
	return ids
}

// hashPieces returns the pieces of words, in order and without duplicates.
func hashPieces(list []string) (ids []uint32) {
	for _, w := range list {
		ids = appendPieces(ids, w)
	}
	return ordered(ids)
}

// ordered sorts ids and removes duplicates. A long text has thousands, so it sorts by the lower half of their bits and then by the upper one, each in one
// pass.
func ordered(ids []uint32) []uint32 {
	const half, mask = featureBits / 2, 1<<(featureBits/2) - 1
	other := make([]uint32, len(ids))
	for shift := 0; shift < featureBits; shift += half {
		var place [mask + 1]int // of the next id with these bits
		for _, id := range ids {
			place[id>>shift&mask]++
		}
		at := 0
		for i, n := range place {
			place[i], at = at, at+n
		}
		for _, id := range ids {
			i := id >> shift & mask
			other[place[i]] = id
			place[i]++
		}
		ids, other = other, ids
	}
	return slices.Compact(ids)
}

func appendPieces(out []uint32, w string) []uint32 {
	w = "_" + w + "_"
	starts := make([]int, 0, len(w)+1)
	for i := range w {
		starts = append(starts, i)
	}
	starts = append(starts, len(w))
	for n := minPiece; n <= maxPiece; n++ {
		for i := 0; i+n < len(starts); i++ {
			out = append(out, hash(kindPiece, w[starts[i]:starts[i+n]]))
		}
	}
	return out
}

const (
	wholeShare = 1.0
	pieceShare = 1.0
)

// weigh gives each feature its inverse document frequency, scaled by the share of its kind.
func weigh(whole, pieces []uint32, idf []float32) []feature {
	out := appendWeighed(make([]feature, 0, len(whole)+len(pieces)), whole, wholeShare, idf)
	return appendWeighed(out, pieces, pieceShare, idf)
}

func appendWeighed(out []feature, ids []uint32, share float64, idf []float32) []feature {
	var sum float64
	for _, id := range ids {
		w := float64(idf[id])
		sum += w * w
	}
	if sum == 0 {
		return out
	}
	scale := float32(share / math.Sqrt(sum))
	for _, id := range ids {
		if w := idf[id]; w > 0 {
			out = append(out, feature{id, w * scale})
		}
	}
	return out
}

// maxFeatures bounds how many features of a text are scored: a text of 220 words has three thousand, each of which may tell a thousand skills apart.
const maxFeatures = 1024

// heaviest returns about as many features as wanted, those with the greatest weights, in the same order. What is left out says least: most examples have it.
func heaviest(list []feature, n int) []feature {
	if len(list) <= n {
		return list
	}
	var most float32
	for _, f := range list {
		most = max(most, f.weight)
	}
	const steps = 255
	step := func(f feature) int { return int(f.weight / most * steps) }
	var count [steps + 1]int
	for _, f := range list {
		count[step(f)]++
	}
	least, kept := steps, count[steps]
	for least > 0 && kept+count[least-1] <= n {
		least--
		kept += count[least]
	}
	return slices.DeleteFunc(list, func(f feature) bool { return step(f) < least })
}
