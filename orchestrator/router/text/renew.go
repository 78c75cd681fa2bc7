package text

import "slices"

// Renew returns an index of other skills that has the words of all of them, and keeps what x has learned about the skills that both have. Of new
// skills' examples only the words count, until New has learned from them, unless the skill says the same as one that x has.
func (x *Index) Renew(skills []Skill) *Index {
	c := newCorpus(skills)
	y := build(&c, nil, false, Options{})
	if !x.trained {
		return y
	}
	known := x.known(y)
	y.trained, y.trust, y.limit = true, x.trust, x.limit
	y.linear, y.nearest = x.linear.moved(known, len(x.taught)), x.nearest.moved(known)
	for now, old := range known {
		y.taught[now] = old != none && x.taught[old]
	}
	return y
}

// known returns for each document of y what the first of its skills that x has said there, or none.
func (x *Index) known(y *Index) []int32 {
	out := make([]int32, len(y.taught))
	for i := range out {
		out[i] = none
	}
	for i, doc := range y.doc {
		if out[doc] == none {
			if at, ok := slices.BinarySearchFunc(x.skills, y.skills[i], compareSkills); ok {
				out[doc] = x.doc[at]
			}
		}
	}
	return out
}

// moved returns the scorer for documents that have learned what some of so many others have.
func (m *linear) moved(known []int32, others int) linear {
	heirs := make([][]int32, others)
	for now, old := range known {
		if old != none {
			heirs[old] = append(heirs[old], int32(now))
		}
	}
	out := linear{rows: m.rows, idf: m.idf, rare: m.rare, starts: make([]int32, 1, len(m.starts)), sharpness: m.sharpness, rate: m.rate}
	for r := range len(m.starts) - 1 {
		for j := m.starts[r]; j < m.starts[r+1]; j++ {
			for _, at := range heirs[m.docs[j]] {
				out.docs = append(out.docs, at)
				out.weights = append(out.weights, m.weights[j])
			}
		}
		out.starts = append(out.starts, int32(len(out.docs))) //nolint:gosec // no more than documents for each row
	}
	return out
}
