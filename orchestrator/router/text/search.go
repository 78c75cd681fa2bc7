package text

// Hit is a skill that a text may ask for.
type Hit struct {
	Agent, Skill string
	Score        float64 // by which hits are sorted; comparable within one answer only
	Share        float64 // the probability that the text asks for what this skill says; others may say the same
	Words        float64 // 0 to 1: how much of the text its card covers
	Document     int32   // equal for hits of one answer that say the same
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

// Search returns the n skills that fit a text best, of which those that say the same count as one if they are at least half as good as the best. It returns one
// for an n below 1, because an answer without any is a refusal.
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
	if r.top >= 0 && x.trained && x.taught[x.doc[r.top]] {
		a.Limit, a.Trained = float64(x.limit), true
	}
	for _, c := range best(r.rank, min(max(n, 1), len(x.skills))+x.copies(r)) {
		a.Hits = append(a.Hits, Hit{
			Agent: x.skills[c].Agent, Skill: x.skills[c].ID,
			Score: float64(r.rank[c]), Share: float64(r.likely[c]), Words: float64(r.words[x.doc[c]] + r.behind[c]), Document: x.doc[c],
		})
	}
	return a
}

// copies returns how many skills say the same as another one, of those that are at least half as good as the best.
func (x *Index) copies(r *ranking) (n int) {
	if r.top < 0 || len(x.taught) == len(x.skills) {
		return 0
	}
	seen := make(map[int32]bool)
	for s, v := range r.rank {
		if v < r.rank[r.top]/2 {
			continue
		}
		if d := x.doc[s]; seen[d] {
			n++
		} else {
			seen[d] = true
		}
	}
	return n
}
