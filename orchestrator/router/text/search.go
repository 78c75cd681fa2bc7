package text

import (
	"math"
	"slices"
)

// Hit is a skill that a text may ask for.
type Hit struct {
	Agent, Skill string
	Score        float64 // by which hits are sorted; comparable within one answer only
	Share        float64 // the probability that the text asks for this skill, among all skills
	Words        float64 // 0 to 1: how much of the text its document covers
}

// Answer is the result of a search.
type Answer struct {
	Hits       []Hit   // the best first
	Confidence float64 // how sure it is that the best hit fits, 0 to 1
	Limit      float64 // the lowest confidence that is not refused
	Trained    bool    // whether examples contributed to the best hit
	Clipped    bool    // whether the text was too long and only its beginning was compared
}

// Refused reports whether the text resembles nothing.
func (a Answer) Refused() bool { return len(a.Hits) == 0 || a.Confidence < a.Limit }

// Search returns the n skills that fit a text best. It returns one for an n below 1, because an answer without any is a refusal.
func (x *Index) Search(text string, n int) Answer {
	list, all := words(text)
	list = x.correct(list)
	r, ok := x.spare.Get().(*ranking)
	if !ok {
		r = &ranking{}
	}
	defer x.spare.Put(r)
	x.rank(r, list, distinct(stems(list)))
	a := Answer{Confidence: float64(r.confidence), Limit: usualLimit, Clipped: !all}
	if r.top >= 0 && x.trained && x.taught[r.top] {
		a.Limit, a.Trained = float64(x.limit), true
	}
	for _, c := range r.best(max(n, 1)) {
		a.Hits = append(a.Hits, Hit{
			Agent: x.skills[c].Agent, Skill: x.skills[c].ID, Score: float64(r.rank[c]), Share: float64(r.share[c]), Words: float64(r.words[c]),
		})
	}
	return a
}

// ranking holds the scores of a text for each skill and agent.
type ranking struct {
	words      []float32 // by BM25
	names      []float32 // how much the name resembles the text, by pieces of words
	share      []float32
	agents     []float32 // the square root of the sum of the shares of their skills
	rank       []float32 // by which skills are sorted
	top        int       // the best skill; -1 when there is none
	confidence float32
}

// minShared is the least evidence by shared words that counts: it keeps what was learned in the balance for texts of which no meaningful word is in the card.
const minShared = 0.1

// clearLogit is the logit of the best skill at which enough is known of a text to trust the shares. They compare skills only with each other: even if none
// has much of a text, one is the likeliest, among a few skills by far.
const clearLogit = 8

// coverage is the power to which the greatest share of a text's words counts that a skill has. With 1, words that no example has weigh too much: people say
// the same in many ways.
const coverage = 0.7

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
	most := greatest(r.share)
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

// confidence returns how sure it is that the best skill fits a text whose meaningful stems are said, given the greatest logit.
func (x *Index) confidence(r *ranking, most float32, said []string) float32 {
	shared := x.evidence(said, r.top)
	if !x.trained || !x.taught[r.top] {
		return shared
	}
	known := float64(min(max(most/clearLogit, 0), 1))
	sure := float64(r.share[r.top]) * known * math.Pow(float64(greatest(r.words)), coverage)
	return float32(math.Pow(sure, x.trust) * math.Pow(float64(max(shared, minShared)), 1-x.trust))
}

// evidence returns the confidence, by shared words alone, that a text asks for a skill. Whether the share of the text's words or their weight matters
// more depends on the length of texts, so it is the geometric mean of both. Words of the skill's name count most, since they say what it does.
func (x *Index) evidence(said []string, skill int) float32 {
	has, all := x.bm25.shared(said, int32(skill)) //nolint:gosec // far below 2^31
	if has == 0 {
		return 0
	}
	e := has / math.Sqrt(all) * (0.5 + named(x.names[skill], said))
	return float32(e / (e + evenOdds))
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

// named returns the share of a name's words that a text has. stems are sorted.
func named(name, stems []string) float64 {
	n := 0
	for _, w := range name {
		if _, found := slices.BinarySearch(stems, w); found {
			n++
		}
	}
	return float64(n) / float64(max(len(name), 1))
}

// best returns the first n skills in one pass: thousands may have some share.
func (r *ranking) best(n int) []int {
	list, least := make([]int, 0, min(n, len(r.rank))+1), float32(0) // of a skill that is among them
	for c, v := range r.rank {
		if v <= least {
			continue
		}
		i, _ := slices.BinarySearchFunc(list, v, func(other int, v float32) int {
			if r.rank[other] >= v { // among equals the earlier one comes first
				return -1
			}
			return 1
		})
		if list = slices.Insert(list, i, c); len(list) >= n {
			list = list[:n]
			least = r.rank[list[n-1]]
		}
	}
	return list
}
