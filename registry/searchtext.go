package registry

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// The parameters of BM25, with their usual values.
const (
	saturation    = 1.2  // how soon more weight of a word adds nothing
	lengthPenalty = 0.75 // how much a long text counts against itself
)

const maxQueryWords = 64

// What a word is worth by where it stands. A word counts once per place, so that repeating it raises no rank.
const (
	weightName        = 3
	weightTag         = 2
	weightDescription = 1
	weightAgent       = 0.5 // the agent's own name and description, for each of its skills
)

// textIndex finds skills by their words. It has one document per skill of an agent, and one for an agent without skills.
type textIndex struct {
	postings map[string][]posting
	docs     []textDoc
	byAgent  map[string][]int // places in docs
	live     int              // documents that are not removed
	words    float64          // in all live documents
}

type posting struct {
	doc    int32
	weight float32
}

type textDoc struct {
	agent, skill string
	words        float64 // different ones; 0 when the document is removed
}

func newTextIndex() *textIndex {
	return &textIndex{postings: make(map[string][]posting), byAgent: make(map[string][]int)}
}

func (x *textIndex) add(a *Agent) {
	if len(a.Card.Skills) == 0 {
		x.addDoc(a, &Skill{})
		return
	}
	for i := range a.Card.Skills {
		x.addDoc(a, &a.Card.Skills[i])
	}
}

func (x *textIndex) addDoc(a *Agent, skill *Skill) {
	weights := make(map[string]float32)
	place := func(weight float32, texts ...string) {
		seen := make(map[string]bool)
		for _, text := range texts {
			for word := range wordsOf(text) {
				if !seen[word] {
					seen[word] = true
					weights[word] += weight
				}
			}
		}
	}
	place(weightName, skill.ID, skill.Name)
	place(weightTag, skill.Tags...)
	place(weightDescription, append([]string{skill.Description}, skill.Examples...)...)
	place(weightAgent, a.Card.Name, a.Card.Description)
	doc := len(x.docs)
	x.docs = append(x.docs, textDoc{a.Name, skill.ID, float64(len(weights))})
	x.byAgent[a.Name] = append(x.byAgent[a.Name], doc)
	x.live, x.words = x.live+1, x.words+float64(len(weights))
	for word, weight := range weights {
		x.postings[word] = append(x.postings[word], posting{int32(doc), weight}) //nolint:gosec // memory ends long before
	}
}

func (x *textIndex) remove(agent string) {
	for _, doc := range x.byAgent[agent] {
		x.live, x.words = x.live-1, x.words-x.docs[doc].words
		x.docs[doc].words = 0
	}
	delete(x.byAgent, agent)
	if dead := len(x.docs) - x.live; dead > x.live+1000 {
		x.compact()
	}
}

// compact forgets removed documents.
func (x *textIndex) compact() {
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
	for word, list := range x.postings {
		left := list[:0]
		for _, p := range list {
			if moved[p.doc] >= 0 {
				left = append(left, posting{moved[p.doc], p.weight})
			}
		}
		if len(left) == 0 {
			delete(x.postings, word)
		} else {
			x.postings[word] = left
		}
	}
}

// hit is a document that has a word of the query.
type hit struct {
	agent, skill string
	score        float64
}

// search returns the documents that have a word of the query, in no order. Words that no document has are nothing.
func (x *textIndex) search(query string) []hit {
	scores := make(map[int32]float64)
	average := x.words / math.Max(1, float64(x.live))
	words := slices.Sorted(maps.Keys(wordsOf(query))) // in order, so that the same query always has the same scores to the last bit
	for _, word := range words[:min(len(words), maxQueryWords)] {
		list := x.postings[word]
		rarity := math.Log(1 + (float64(x.live)-float64(len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			if doc := &x.docs[p.doc]; doc.words > 0 {
				w := float64(p.weight)
				scores[p.doc] += math.Max(rarity, 0.01) * w * (saturation + 1) / (w + saturation*(1-lengthPenalty+lengthPenalty*doc.words/average))
			}
		}
	}
	hits := make([]hit, 0, len(scores))
	for doc, score := range scores {
		hits = append(hits, hit{x.docs[doc].agent, x.docs[doc].skill, score})
	}
	return hits
}

// wordsOf returns the different words of a text in lower case: split where case or kind of character changes, and without the s of
// a plural.
func wordsOf(text string) map[string]struct{} {
	words := make(map[string]struct{})
	var word []rune
	end := func() {
		if len(word) > 0 {
			w := strings.ToLower(string(word))
			if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
				w = w[:len(w)-1]
			}
			words[w] = struct{}{}
		}
		word = word[:0]
	}
	var last rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			end()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		last = r
	}
	end()
	return words
}
