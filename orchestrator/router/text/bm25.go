package text

import (
	"cmp"
	"math"
	"slices"
)

// ownerField is the weight of a word that only the agent's description of itself has.
const ownerField = 0.44

// posting records that a document has a word.
type posting struct {
	doc int32
	tf  int32 // number of sources in the document with the word; more than 1 matters only when an example is left out
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
	postings [][]posting // by word
	owners   [][]int32   // by word: skills whose agent has it in the description of itself, but whose document has not
	with     []int       // by word: documents that have it, or whose agents have
	idf      []float32   // by word
	unknown  float32     // inverse document frequency of a word that occurs in no document
}

// background is the minimum number of documents for weighing words without enough examples to learn from: a word that most of a few skills have still
// means something, because most of what people ask for does not contain it.
const background = 100

func newBM25(c *corpus, held func(doc, example int) bool) bm25 {
	taught, all := enoughExamples(c.docs), len(c.docs)
	if !taught {
		all = max(all, background)
	}
	m := bm25{terms: make(map[string]int32), docs: len(c.docs), unknown: idf(all, 0)}
	for i, d := range c.docs {
		for _, list := range d.fields {
			m.add(list, int32(i))
		}
		for e, x := range d.examples {
			if held == nil || !held(i, e) {
				if taught {
					m.add(x.stems, int32(i))
				} else { // or a filler in the only example of a skill would look characteristic
					m.add(content(x.words), int32(i))
				}
			}
		}
	}
	m.addOwners(c)
	for t, p := range m.postings {
		with := len(p) + distinctDocs(m.owners[t], c.doc)
		m.with, m.idf = append(m.with, with), append(m.idf, idf(all, with))
	}
	return m
}

// term returns the number of a word.
func (m *bm25) term(word string) int32 {
	t, ok := m.terms[word]
	if !ok {
		t = int32(len(m.postings)) //nolint:gosec // far below 2^31
		m.terms[word] = t
		m.postings, m.owners = append(m.postings, nil), append(m.owners, nil)
	}
	return t
}

// add adds words of one source in the last document.
func (m *bm25) add(list []string, doc int32) {
	for _, w := range list {
		t := m.term(w)
		if p := m.postings[t]; len(p) > 0 && p[len(p)-1].doc == doc {
			p[len(p)-1].tf++
		} else {
			m.postings[t] = append(p, posting{doc, 1})
		}
	}
}

// addOwners adds what agents say of themselves.
func (m *bm25) addOwners(c *corpus) {
	for i, list := range c.owners {
		for _, w := range list {
			if t := m.term(w); !m.has(t, c.doc[i]) {
				m.owners[t] = append(m.owners[t], int32(i))
			}
		}
	}
}

// has reports whether a document has a word.
func (m *bm25) has(term, doc int32) bool {
	_, found := slices.BinarySearchFunc(m.postings[term], doc, func(p posting, doc int32) int { return cmp.Compare(p.doc, doc) })
	return found
}

// distinctDocs counts the documents of skills.
func distinctDocs(skills, doc []int32) int {
	docs := make([]int32, len(skills))
	for i, s := range skills {
		docs[i] = doc[s]
	}
	slices.Sort(docs)
	return len(slices.Compact(docs))
}

func idf(docs, with int) float32 {
	return float32(math.Log(1 + (float64(docs)-float64(with)+0.5)/(float64(with)+0.5)))
}

// score adds to each document's entry how much of the maximum score for these stems it reaches, 0 to 1, and to each skill's how much its agent adds to that, and
// reports whether any adds something. own are the documents that have the text itself as an example, which is then ignored.
func (m *bm25) score(list []string, own []int32, docs, skills []float32) (owned bool) {
	var most float32
	for _, w := range list {
		if t, ok := m.terms[w]; ok {
			most += m.idf[t]
		} else {
			most += m.unknown
		}
	}
	if most == 0 {
		return false
	}
	for _, w := range list {
		t, ok := m.terms[w]
		if !ok {
			continue
		}
		scale := m.idf[t] / most
		if scale < littleWeight && len(m.postings[t])+len(m.owners[t]) > manyPostings {
			continue // a word of nearly all documents does not tell them apart, and there may be thousands
		}
		for _, p := range m.postings[t] {
			tf := p.tf
			if slices.Contains(own, p.doc) {
				tf--
			}
			if tf > 0 {
				docs[p.doc] += scale
			}
		}
		for _, s := range m.owners[t] {
			skills[s] += scale * ownerField
			owned = true
		}
	}
	return owned
}

// shared returns the weight of the text's words that a skill's document or agent has, and that of all of its words.
func (m *bm25) shared(said []string, skill, doc int32) (has, all float64) {
	for _, w := range said {
		t, ok := m.terms[w]
		if !ok {
			all += rarity(m.docs, 0)
			continue
		}
		weight := rarity(m.docs, m.with[t])
		all += weight
		if _, found := slices.BinarySearch(m.owners[t], skill); found || m.has(t, doc) {
			has += weight
		}
	}
	return has, all
}

// rarity returns the weight of a word for a skill without examples. A small number of skills, and many examples of others, do not change it.
func rarity(docs, with int) float64 { return float64(idf(max(docs, background), with)) }
