package text

import (
	"cmp"
	"math"
	"slices"
)

// ownerField is the weight of a word that only the agent's own description has.
const ownerField = 0.44

// posting records that a skill's document has a word.
type posting struct {
	skill int32
	tf    float32 // number of sources in the document with the word; more than 1 matters only when an example is left out
}

const (
	littleWeight = 0.003 // share of a text's weight
	manyPostings = 1000  // skills
)

// bm25 compares texts with documents by the words that they share. It is BM25 with k1 and b of 0: a word counts once, however often and among however
// few words it occurs, so that repeating a word gains nothing, and leaving words out raises no others.
type bm25 struct {
	terms    map[string]int32
	docs     int
	postings [][]posting
	idf      []float32
	unknown  float32 // inverse document frequency of a word that occurs in no document
}

// background is the minimum number of documents for weighing words without enough examples to learn from: a word that most of a few skills have still
// means something, because most of what people ask for does not contain it.
const background = 100

func newBM25(docs []document, held func(skill, example int) bool) bm25 {
	taught, all := enoughExamples(docs), len(docs)
	if !taught {
		all = max(all, background)
	}
	m := bm25{terms: make(map[string]int32), docs: len(docs), unknown: idf(all, 0)}
	for i, d := range docs {
		add := func(list []string, weight float32) {
			for _, w := range list {
				t, ok := m.terms[w]
				if !ok {
					t = int32(len(m.postings)) //nolint:gosec // far below 2^31
					m.terms[w] = t
					m.postings = append(m.postings, nil)
				}
				if p := m.postings[t]; len(p) > 0 && p[len(p)-1].skill == int32(i) { //nolint:gosec // far below 2^31
					p[len(p)-1].tf += weight
				} else {
					m.postings[t] = append(p, posting{int32(i), weight}) //nolint:gosec // far below 2^31
				}
			}
		}
		for f, list := range d.fields {
			if f == len(d.fields)-1 {
				add(list, ownerField)
			} else {
				add(list, 1)
			}
		}
		for e, x := range d.examples {
			if held == nil || !held(i, e) {
				if taught {
					add(x.stems, 1)
				} else { // or a filler in the only example of a skill would look characteristic
					add(content(x.words), 1)
				}
			}
		}
	}
	for _, p := range m.postings {
		m.idf = append(m.idf, idf(all, len(p)))
	}
	return m
}

func idf(docs, with int) float32 {
	return float32(math.Log(1 + (float64(docs)-float64(with)+0.5)/(float64(with)+0.5)))
}

// score adds to each skill's entry how much of the maximum score for these stems its document reaches, 0 to 1. own is the skill that has the text
// itself as an example, which is then ignored; -1 for none.
func (m *bm25) score(list []string, own int32, into []float32) {
	var most float32
	for _, w := range list {
		if t, ok := m.terms[w]; ok {
			most += m.idf[t]
		} else {
			most += m.unknown
		}
	}
	if most == 0 {
		return
	}
	for _, w := range list {
		t, ok := m.terms[w]
		if !ok {
			continue
		}
		scale := m.idf[t] / most
		if scale < littleWeight && len(m.postings[t]) > manyPostings {
			continue // a word of nearly all documents does not tell them apart, and there may be thousands
		}
		for _, p := range m.postings[t] {
			tf := p.tf
			if p.skill == own {
				tf--
			}
			if tf > 0 {
				into[p.skill] += scale * min(tf, 1)
			}
		}
	}
}

// shared returns the weight of the text's words that a skill's document has, and that of all of its words.
func (m *bm25) shared(said []string, skill int32) (has, all float64) {
	for _, w := range said {
		t, ok := m.terms[w]
		if !ok {
			all += rarity(m.docs, 0)
			continue
		}
		weight := rarity(m.docs, len(m.postings[t]))
		all += weight
		if _, found := slices.BinarySearchFunc(m.postings[t], skill, func(p posting, skill int32) int { return cmp.Compare(p.skill, skill) }); found {
			has += weight
		}
	}
	return has, all
}

// rarity returns the weight of a word for a skill without examples. A small number of skills, and many examples of others, do not change it.
func rarity(docs, with int) float64 { return float64(idf(max(docs, background), with)) }
