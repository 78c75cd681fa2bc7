// Package textindex finds skills of agents by the words of their cards: BM25 over names, tags, descriptions and examples, where repeating a word does not
// raise the score.
package textindex

import (
	"maps"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/quorate/quorate/registry/agentcard"
)

// The parameters of BM25, with their usual values.
const (
	saturation    = 1.2  // how soon more weight of a word adds no score
	lengthPenalty = 0.75 // how much the length of a text lowers its score
)

const (
	maxQueryWords = 64
	manyDocs      = 1000
)

// Weights of words by the field they are in. A word counts once per field, so that repeating it does not raise the score.
const (
	weightName        = 3
	weightTag         = 2
	weightDescription = 1
	weightAgent       = 0.5 // the agent's own name and description, for each of its skills
)

// Index finds skills by their words. It has one document for each skill of an agent, and one for an agent without skills. Any number of goroutines may
// search it while none changes it.
type Index struct {
	terms    map[string]int // index of the term in postings and having
	postings [][]posting    // includes removed documents until compact
	having   []int          // how many live documents have the term
	docs     []document
	byAgent  map[string][]int // indexes in docs
	live     int              // number of documents that are not removed
	words    float64          // total in all live documents
}

type posting struct {
	doc    int32
	weight float32
}

type document struct {
	agent, skill string
	words        float64 // number of different words; 0 when the document is removed
}

// New returns an empty index.
func New() *Index {
	return &Index{terms: make(map[string]int), byAgent: make(map[string][]int)}
}

// Add adds the skills in the card of an agent that the index does not have.
func (x *Index) Add(agent string, card *agentcard.Card) {
	x.each(agent, card, func(skill string, weights map[int]float32) {
		doc := len(x.docs)
		x.docs = append(x.docs, document{agent, skill, float64(max(len(weights), 1))})
		x.byAgent[agent] = append(x.byAgent[agent], doc)
		x.live, x.words = x.live+1, x.words+x.docs[doc].words
		for term, weight := range weights {
			x.postings[term] = append(x.postings[term], posting{int32(doc), weight}) //nolint:gosec // memory ends long before
			x.having[term]++
		}
	})
}

// Remove removes an agent. Its card must be the same as when it was added.
func (x *Index) Remove(agent string, card *agentcard.Card) {
	x.each(agent, card, func(_ string, weights map[int]float32) {
		for term := range weights {
			x.having[term]--
		}
	})
	for _, doc := range x.byAgent[agent] {
		x.live, x.words = x.live-1, x.words-x.docs[doc].words
		x.docs[doc].words = 0
	}
	delete(x.byAgent, agent)
	if dead := len(x.docs) - x.live; dead > x.live+1000 {
		x.compact()
	}
}

// each calls use for each document of an agent with the weights of its terms.
func (x *Index) each(agent string, card *agentcard.Card, use func(skill string, weights map[int]float32)) {
	about := make(map[int]float32)
	x.place(about, weightAgent, agent, card.Name, card.Description)
	skills := card.Skills
	if len(skills) == 0 {
		skills = []agentcard.Skill{{}}
	}
	for i := range skills {
		skill, weights := &skills[i], maps.Clone(about)
		x.place(weights, weightName, skill.ID, skill.Name)
		x.place(weights, weightTag, skill.Tags...)
		x.place(weights, weightDescription, append([]string{skill.Description}, skill.Examples...)...)
		use(skill.ID, weights)
	}
}

// place adds the weight once for each word of the texts.
func (x *Index) place(weights map[int]float32, weight float32, texts ...string) {
	seen := make(map[int]bool)
	for _, text := range texts {
		eachWord(text, func(word []byte) {
			term, known := x.terms[string(word)]
			if !known {
				term = len(x.postings)
				x.terms[string(word)] = term
				x.postings, x.having = append(x.postings, nil), append(x.having, 0)
			}
			if !seen[term] {
				seen[term] = true
				weights[term] += weight
			}
		})
	}
}

// compact drops removed documents, and terms that only these had.
func (x *Index) compact() {
	moved := make([]int32, len(x.docs))
	kept := x.docs[:0:0]
	x.byAgent = make(map[string][]int)
	for i, doc := range x.docs {
		moved[i] = -1
		if doc.words > 0 {
			moved[i] = int32(len(kept)) //nolint:gosec // no larger than before
			x.byAgent[doc.agent] = append(x.byAgent[doc.agent], len(kept))
			kept = append(kept, doc)
		}
	}
	x.docs = kept
	terms, postings, having := make(map[string]int), x.postings[:0:0], x.having[:0:0]
	for word, term := range x.terms {
		if x.having[term] == 0 {
			continue
		}
		left := make([]posting, 0, x.having[term])
		for _, p := range x.postings[term] {
			if moved[p.doc] >= 0 {
				left = append(left, posting{moved[p.doc], p.weight})
			}
		}
		terms[word] = len(postings)
		postings, having = append(postings, left), append(having, len(left))
	}
	x.terms, x.postings, x.having = terms, postings, having
}

// Hit is a skill that has a word of the query, or an agent without skills that has.
type Hit struct {
	Agent, Skill string // Skill is empty for an agent without skills
	Score        float64
}

// Search returns the documents that have a word of the query, in no particular order. If there are many documents, words that more than half of them
// have are ignored, unless the query has no others.
func (x *Index) Search(query string) []Hit {
	scores := make(map[int32]float64)
	average := x.words / math.Max(1, float64(x.live))
	for _, term := range x.wanted(query) {
		having := float64(x.having[term])
		rarity := math.Max(0.01, math.Log(1+(float64(x.live)-having+0.5)/(having+0.5)))
		for _, p := range x.postings[term] {
			if doc := &x.docs[p.doc]; doc.words > 0 {
				w := float64(p.weight)
				scores[p.doc] += rarity * w * (saturation + 1) / (w + saturation*(1-lengthPenalty+lengthPenalty*doc.words/average))
			}
		}
	}
	hits := make([]Hit, 0, len(scores))
	for doc, score := range scores {
		hits = append(hits, Hit{x.docs[doc].agent, x.docs[doc].skill, score})
	}
	return hits
}

// wanted returns the query's terms that occur in documents, in the order of their words, so that the same query always has exactly the same scores.
func (x *Index) wanted(query string) (terms []int) {
	var words []string
	eachWord(query, func(word []byte) { words = append(words, string(word)) })
	words = words[:min(len(words), maxQueryWords)]
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		if term, known := x.terms[word]; known && x.having[term] > 0 {
			terms = append(terms, term)
		}
	}
	common := func(term int) bool { return x.live > manyDocs && x.having[term] > x.live/2 }
	if slices.ContainsFunc(terms, func(term int) bool { return !common(term) }) {
		terms = slices.DeleteFunc(terms, common)
	}
	return terms
}

// eachWord calls each with the words of a text in lower case. Text is split at everything but letters and digits and, as in camelCase, before a capital
// that follows a small letter; a plural s is dropped. A word is valid during the call only.
func eachWord(text string, each func(word []byte)) {
	word := make([]byte, 0, 64)
	end := func() {
		if n := len(word); n > 3 && word[n-1] == 's' && word[n-2] != 's' {
			word = word[:n-1]
		}
		if len(word) > 0 {
			each(word)
		}
		word = word[:0]
	}
	lower := false // whether the last character was a small letter
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && lower:
			end()
			fallthrough
		default:
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	end()
}
