package text

import (
	"math"
	"slices"
)

// Hit is a skill that a text may ask for.
type Hit struct {
	Agent, Skill string
	Score        float64 // what hits are sorted by; it tells them apart within one answer
	Share        float64 // the probability that it is this skill, among all
	Words        float64 // 0 to 1: how much of the text its document has
}

// Answer is what an index says about a text.
type Answer struct {
	Hits       []Hit   // the best first
	Confidence float64 // how sure it is that the best one fits, 0 to 1
	Limit      float64 // the least confidence that is not refused
	Trained    bool    // whether examples had a say in the best one
	Clipped    bool    // whether the text is so long that only its beginning was compared
}

// Refused reports whether the text is like nothing.
func (a Answer) Refused() bool { return len(a.Hits) == 0 || a.Confidence < a.Limit }

// Search returns the best skills for a text, at most n.
func (x *Index) Search(text string, n int) Answer {
	list, all := words(text)
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
	for _, c := range r.best(n) {
		a.Hits = append(a.Hits, Hit{
			Agent: x.skills[c].Agent, Skill: x.skills[c].ID, Score: float64(r.rank[c]), Share: float64(r.share[c]), Words: float64(r.words[c]),
		})
	}
	return a
}

// ranking is how a text fares with each skill and agent.
type ranking struct {
	words      []float32 // BM25's share
	share      []float32
	agents     []float32 // the sum of their skills' shares
	rank       []float32 // what the skills are sorted by
	top        int       // the best skill; -1 when there is none
	confidence float32
}

const negligible = 14 // logits that much below the best have no share

// reset makes all of a ranking zero.
func (r *ranking) reset(skills, agents int) {
	for _, l := range []struct {
		list *[]float32
		n    int
	}{{&r.words, skills}, {&r.share, skills}, {&r.rank, skills}, {&r.agents, agents}} {
		if len(*l.list) != l.n {
			*l.list = make([]float32, l.n)
		}
		clear(*l.list)
	}
	r.top, r.confidence = -1, 0
}

// rank compares a text with every skill. The ranking is overwritten.
func (x *Index) rank(r *ranking, list, stems []string) {
	r.reset(len(x.skills), len(x.agents))
	if len(x.skills) == 0 {
		return
	}
	x.bm25.score(stems, -1, r.words)
	for c, w := range r.words {
		if x.taught[c] {
			r.share[c] = x.linear.sharpness * w
		} else { // nothing else will speak for it
			r.share[c] = untaught * w
		}
	}
	x.linear.score(list, r.share)
	most := slices.Max(r.share)
	var sum float32
	unlike := exp(-most) // the same for the thousands that nothing speaks for or against
	for c, l := range r.share {
		switch {
		case l == 0:
			r.share[c] = unlike
		case l >= most-negligible:
			r.share[c] = exp(l - most)
		default:
			r.share[c] = 0
		}
		sum += r.share[c]
	}
	for c := range r.share {
		r.share[c] /= sum
		r.agents[x.owner[c]] += r.share[c]
	}
	x.judge(r, most, list)
	x.breakTie(r, stems)
}

func exp(x float32) float32 {
	if x < -negligible {
		return 0
	}
	return float32(math.Exp(float64(x)))
}

// judge ranks the skills, the greatest logit being most, and says how sure that is.
func (x *Index) judge(r *ranking, most float32, list []string) {
	for c, s := range r.share {
		if r.words[c] == 0 && (!x.taught[c] || most <= 0) {
			continue // nothing speaks for it
		}
		r.rank[c] = s
		if x.trained { // otherwise an agent's sum tells more of how many skills it has
			r.rank[c] *= float32(math.Sqrt(float64(r.agents[x.owner[c]])))
		}
		if r.rank[c] > 0 && (r.top < 0 || r.rank[c] > r.rank[r.top]) {
			r.top = c
		}
	}
	switch {
	case r.top < 0:
	case x.trained && x.taught[r.top]:
		r.confidence = r.share[r.top] * slices.Max(r.words)
	default:
		r.confidence = x.evidence(content(list), r.top)
	}
}

// evidence says how sure it is, by shared words alone, that a text asks for a skill. Whether the share of the text's words or their weight counts more
// depends on how long texts are, so that it is the geometric mean of both; and those of the skill's name count most, since they say what it does.
func (x *Index) evidence(said []string, skill int) float32 {
	has, all := x.bm25.shared(said, int32(skill)) //nolint:gosec // far below 2^31
	if has == 0 {
		return 0
	}
	e := has / math.Sqrt(all) * (0.5 + named(x.names[skill], said))
	return float32(e / (e + evenOdds))
}

// breakTie puts the skill first whose name the text says most of, among those that are like it in the same way.
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

// named is the share of a name's words that a text has. Its stems are sorted.
func named(name, stems []string) float64 {
	n := 0
	for _, w := range name {
		if _, found := slices.BinarySearch(stems, w); found {
			n++
		}
	}
	return float64(n) / float64(max(len(name), 1))
}

// best lists the first n skills. It goes through them once: there may be thousands with some share.
func (r *ranking) best(n int) []int {
	list := make([]int, 0, n+1)
	for c, v := range r.rank {
		if v <= 0 || (len(list) == n && v <= r.rank[list[n-1]]) {
			continue
		}
		i, _ := slices.BinarySearchFunc(list, v, func(other int, v float32) int {
			if r.rank[other] >= v { // those before it come first among equals
				return -1
			}
			return 1
		})
		list = slices.Insert(list, i, c)
		list = list[:min(len(list), n)]
	}
	return list
}
