package text

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
)

// corpus is the skills of an index, and what they say. Skills that say the same share a document, as those of an agent that runs several times do: each of them
// fits a text as well as if it were the only one, and what one of them teaches is not held against the others.
type corpus struct {
	skills []Skill    // sorted by agent and id
	doc    []int32    // by skill: its document
	owners [][]string // by skill: stems of what its agent says of itself, each once
	docs   []document // in the order of the first skills that have them
	kin    [][]int32  // documents that are versions of each other, two or more each
}

// newCorpus sorts skills and prepares their documents. Descriptions in cards are learned from in addition to examples. Of many skills with hardly an example
// they are not: training would take as long as with examples, and know little about how people ask.
func newCorpus(list []Skill) corpus {
	c := corpus{skills: slices.Clone(list), doc: make([]int32, len(list)), owners: make([][]string, len(list))}
	slices.SortFunc(c.skills, compareSkills)
	places := make(map[[sha256.Size]byte]int32)
	for i := range c.skills {
		d := newDocument(&c.skills[i])
		key := d.key()
		at, known := places[key]
		if !known {
			at = int32(len(c.docs)) //nolint:gosec // far below 2^31
			places[key] = at
			c.docs = append(c.docs, d)
		}
		c.doc[i], c.owners[i] = at, ownerWords(&c.skills[i])
	}
	c.kin = kin(c.docs)
	if n := thinOut(c.docs); n < len(c.docs) && len(c.docs) > manySkills {
		for i := range c.docs {
			c.docs[i].said = example{}
		}
	}
	return c
}

// kin finds the documents that are versions of each other: each has most of its examples, and most of those of the first one. Agents that run several times have
// such when the card of one of them has changed, as all have while they are upgraded one after the other.
func kin(docs []document) (list [][]int32) {
	with := make(map[string][]int32) // by an example, the first versions that have it
	group := make(map[int32]int)     // by first version, its place in list
	for i := range docs {
		common := make(map[int32]int)
		for _, x := range docs[i].examples {
			for _, d := range with[strings.Join(x.words, " ")] {
				common[d]++
			}
		}
		first := int32(-1)
		for d, n := range common {
			if 2*n > max(len(docs[i].examples), len(docs[d].examples)) && (first < 0 || d < first) {
				first = d
			}
		}
		if first < 0 {
			for _, x := range docs[i].examples {
				if key := strings.Join(x.words, " "); len(with[key]) < maxSharers {
					with[key] = append(with[key], int32(i)) //nolint:gosec // far below 2^31
				}
			}
			continue
		}
		at, known := group[first]
		if !known {
			at = len(list)
			group[first] = at
			list = append(list, []int32{first})
		}
		list[at] = append(list[at], int32(i)) //nolint:gosec // far below 2^31
	}
	return list
}

func compareSkills(a, b Skill) int {
	return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.ID, b.ID))
}

// thinOut reduces the examples of each document so that the total is bounded, and returns the total.
func thinOut(docs []document) (total int) {
	for most := maxExamples; most > 0; most /= 2 {
		bytes := 0
		total = 0
		for i := range docs {
			docs[i].examples = spread(docs[i].examples, most)
			total += len(docs[i].examples)
			for _, x := range docs[i].examples {
				bytes += x.bytes()
			}
		}
		if total <= maxAllExamples && bytes <= maxAllExampleBytes {
			break
		}
	}
	return total
}

// spread selects at most so many elements at even distances. Examples are sorted by their words, so that similar ones are neighbours.
func spread[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}
