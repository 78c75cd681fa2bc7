package text

import (
	"math"
	"slices"
)

// ranking holds the scores of a text for each document, skill and agent.
type ranking struct {
	words      []float32 // by document: BM25, with the most that an agent's own words add
	names      []float32 // by document: how much the name resembles the text, by pieces of words
	share      []float32 // by document, as a multiple of the greatest
	shares     float32   // the sum of share
	lead       []float32 // by document: the most that an agent's own words add; for takeLead
	behind     []float32 // by skill: how much less its agent's own words add, 0 or less
	likely     []float32 // by skill: the share of its document, or less if the text is more about other agents
	rank       []float32 // by skill: what they are sorted by
	agents     []float32 // the square root of the sum over their skills
	said       []float32 // by row of the linear scorer, what the text's word or word pair adds to a resemblance; all 0 between texts
	top        int       // the best skill; -1 when there is none
	confidence float32
}

// negligible is by how much a document's logit is lower than the best one at least when it has no share.
const negligible = 14

// reset clears a ranking.
func (r *ranking) reset(docs, skills, agents int) {
	for _, l := range []struct {
		list *[]float32
		n    int
	}{
		{&r.words, docs},
		{&r.names, docs},
		{&r.share, docs},
		{&r.behind, skills},
		{&r.likely, skills},
		{&r.rank, skills},
		{&r.agents, agents},
	} {
		if len(*l.list) != l.n {
			*l.list = make([]float32, l.n)
		}
		clear(*l.list)
	}
	r.top, r.confidence = -1, 0
}

// rank compares a text with every skill and overwrites the ranking.
func (x *Index) rank(r *ranking, list, stems []string) {
	r.reset(len(x.taught), len(x.skills), len(x.agents))
	if len(x.skills) == 0 {
		return
	}
	if x.bm25.score(stems, nil, r.words, r.behind) {
		x.takeLead(r)
	}
	whole, pieces := hashed(list)
	x.pieces.score(pieces, r.names)
	for d, w := range r.words { // nothing else will add to one that is untaught
		r.share[d] = x.sharpness(int32(d)) * (w + nameWeight*r.names[d])
	}
	x.linear.score(whole, pieces, r.share)
	x.compareNearest(r, whole)
	most := greatest(r.share)
	x.divide(r, most)
	x.order(r, most)
	x.breakTie(r, stems)
	if r.top >= 0 {
		r.confidence = x.confidence(r, most, content(list))
	}
}

// greatest is slices.Max without regard for NaN, which takes several times as long for thousands of skills.
func greatest(list []float32) float32 {
	most := list[0]
	for _, v := range list[1:] {
		if v > most {
			most = v
		}
	}
	return most
}

func exp(x float32) float32 {
	if x < -negligible {
		return 0
	}
	return float32(math.Exp(float64(x)))
}

// order ranks the skills, given the greatest logit.
func (x *Index) order(r *ranking, most float32) {
	var best float32
	for s, v := range r.likely {
		d := x.doc[s]
		if r.words[d] == 0 && r.names[d] < minAlike && (!x.taught[d] || most <= 0) {
			continue // there is no evidence for it
		}
		if x.trained { // without training, an agent's sum mostly reflects how many skills it has
			v *= r.agents[x.owner[s]]
		}
		if r.rank[s] = v; v > best {
			best, r.top = v, s
		}
	}
}

// breakTie moves the skill to the front whose name the text covers most, among those that are equally similar.
func (x *Index) breakTie(r *ranking, stems []string) {
	if r.top < 0 || !slices.Contains(r.rank[r.top+1:], r.rank[r.top]) {
		return
	}
	first, most := r.top, named(x.names[x.doc[r.top]], stems)
	for s := r.top + 1; s < len(r.rank); s++ {
		if r.rank[s] != r.rank[r.top] {
			continue
		}
		if share := named(x.names[x.doc[s]], stems); share > most {
			first, most = s, share
		}
	}
	if first != r.top {
		r.top = first
		r.rank[first] = math.Nextafter32(r.rank[first], math.MaxFloat32)
	}
}

// best returns the n skills with the greatest scores above 0, the best first. It takes one pass: thousands may have one.
func best(scores []float32, n int) []int {
	list, least := make([]int, 0, min(n, len(scores))+1), float32(0) // of a skill that is among them
	for c, v := range scores {
		if v <= least {
			continue
		}
		i, _ := slices.BinarySearchFunc(list, v, func(other int, v float32) int {
			if scores[other] >= v { // among equals the earlier one comes first
				return -1
			}
			return 1
		})
		if list = slices.Insert(list, i, c); len(list) >= n {
			list = list[:n]
			least = scores[list[n-1]]
		}
	}
	return list
}
