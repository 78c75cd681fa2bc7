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
	again  []int32    // by skill: the document of an earlier skill of its agent of which it says most again, or none
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
	c.kin, c.again = kin(c.docs), again(&c)
	if n := thinOut(c.docs); n < len(c.docs) && len(c.docs) > manySkills {
		for i := range c.docs {
			c.docs[i].said = example{}
		}
	}
	return c
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
