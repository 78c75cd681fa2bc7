package text

import "slices"

// Renew returns an index of other skills that has the words of all of them, and keeps what x has learned about the skills that both have. Of new
// skills' examples only the words count, until New has learned from them.
func (x *Index) Renew(skills []Skill) *Index {
	skills, docs := prepareSkills(skills)
	y := build(skills, docs, nil, false, Options{})
	if !x.trained {
		return y
	}
	moved := x.places(y)
	y.trained, y.trust, y.limit = true, x.trust, x.limit
	y.linear, y.nearest = x.linear.moved(moved), x.nearest.moved(moved, len(y.skills))
	for i := range y.taught {
		y.taught[i] = false
	}
	for old, now := range moved {
		if now >= 0 {
			y.taught[now] = x.taught[old]
		}
	}
	return y
}

// places returns for each skill of x its index in y, or -1.
func (x *Index) places(y *Index) []int32 {
	out := make([]int32, len(x.skills))
	for i := range x.skills {
		at, ok := slices.BinarySearchFunc(y.skills, x.skills[i], compareSkills)
		if !ok {
			at = -1
		}
		out[i] = int32(at)
	}
	return out
}

// moved returns the scorer with skills renumbered; the order of skills does not change.
func (m *linear) moved(places []int32) linear {
	out := linear{rows: m.rows, idf: m.idf, rare: m.rare, starts: make([]int32, 1, len(m.starts)), sharpness: m.sharpness, rate: m.rate}
	for r := range len(m.starts) - 1 {
		for j := m.starts[r]; j < m.starts[r+1]; j++ {
			if at := places[m.skills[j]]; at >= 0 {
				out.skills = append(out.skills, at)
				out.weights = append(out.weights, m.weights[j])
			}
		}
		out.starts = append(out.starts, int32(len(out.skills))) //nolint:gosec // no more than there were
	}
	return out
}
