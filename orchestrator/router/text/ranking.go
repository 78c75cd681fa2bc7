package text

import (
	"math"
	"slices"
)

// ranking holds the scores of a text for each skill and agent.
type ranking struct {
	words      []float32 // by BM25
	names      []float32 // how much the name resembles the text, by pieces of words
	share      []float32
	agents     []float32 // the square root of the sum of the shares of their skills
	rank       []float32 // by which skills are sorted
	said       []float32 // by row of the linear scorer, what the text's word or word pair adds to a resemblance; all 0 between texts
	top        int       // the best skill; -1 when there is none
	confidence float32
}

// negligible is by how much a skill's logit is lower than the best one at least when the skill has no share.
const negligible = 14

// reset clears a ranking.
func (r *ranking) reset(skills, agents int) {
	for _, l := range []struct {
		list *[]float32
		n    int
	}{{&r.words, skills}, {&r.names, skills}, {&r.share, skills}, {&r.rank, skills}, {&r.agents, agents}} {
		if len(*l.list) != l.n {
			*l.list = make([]float32, l.n)
		}
		clear(*l.list)
	}
	r.top, r.confidence = -1, 0
}

// rank compares a text with every skill and overwrites the ranking.
func (x *Index) rank(r *ranking, list, stems []string) {
	r.reset(len(x.skills), len(x.agents))
	if len(x.skills) == 0 {
		return
	}
	x.bm25.score(stems, -1, r.words)
	whole, pieces := hashed(list)
	x.pieces.score(pieces, r.names)
	for c, w := range r.words {
		alike := w + nameWeight*r.names[c]
		if x.taught[c] {
			r.share[c] = x.linear.sharpness * alike
		} else { // nothing else will add to it
			r.share[c] = untaughtSharpness * alike
		}
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

// divide turns the logits of skills into shares, given the greatest of them, and sums them up for each agent.
func (x *Index) divide(r *ranking, most float32) {
	var sum float32
	unlike := exp(-most) // the same for thousands of skills without any evidence
	for c, l := range r.share {
		if l == 0 {
			r.share[c] = unlike
		} else {
			r.share[c] = exp(l - most)
		}
		sum += r.share[c]
	}
	c := 0
	for a := range r.agents { // skills are sorted by agent
		var all float32
		for ; c < len(r.share) && int(x.owner[c]) == a; c++ {
			r.share[c] /= sum
			all += r.share[c]
		}
		r.agents[a] = float32(math.Sqrt(float64(all)))
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
	for c, v := range r.share {
		if r.words[c] == 0 && r.names[c] < minAlike && (!x.taught[c] || most <= 0) {
			continue // there is no evidence for it
		}
		if x.trained { // without training, an agent's sum mostly reflects how many skills it has
			v *= r.agents[x.owner[c]]
		}
		if r.rank[c] = v; v > best {
			best, r.top = v, c
		}
	}
}

// breakTie moves the skill to the front whose name the text covers most, among those that are equally similar.
func (x *Index) breakTie(r *ranking, stems []string) {
	if r.top < 0 || !slices.Contains(r.rank[r.top+1:], r.rank[r.top]) {
		return
	}
	first, most := r.top, named(x.names[r.top], stems)
	for c := r.top + 1; c < len(r.rank); c++ {
		if r.rank[c] != r.rank[r.top] {
			continue
		}
		if share := named(x.names[c], stems); share > most {
			first, most = c, share
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
