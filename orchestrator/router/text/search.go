package text

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
	for _, c := range best(r.rank, max(n, 1)) {
		a.Hits = append(a.Hits, Hit{
			Agent: x.skills[c].Agent, Skill: x.skills[c].ID, Score: float64(r.rank[c]), Share: float64(r.share[c]), Words: float64(r.words[c]),
		})
	}
	return a
}
