package text

import "math"

// takeLead has a document resemble the text as much as the skill does whose agent's own words add most. The others are behind.
func (x *Index) takeLead(r *ranking) {
	r.lead = append(r.lead[:0], make([]float32, len(r.words))...)
	for s, own := range r.behind {
		if d := x.doc[s]; own > r.lead[d] {
			r.lead[d] = own
		}
	}
	for s := range r.behind {
		r.behind[s] -= r.lead[x.doc[s]]
	}
	for d, own := range r.lead {
		r.words[d] += own
	}
}

// sharpness returns how much the words of a text count as a logit.
func (x *Index) sharpness(doc int32) float32 {
	if x.taught[doc] {
		return x.linear.sharpness
	}
	return untaughtSharpness
}

// divide turns the logits of documents into shares, given the greatest of them, and sums up those of each agent's skills.
func (x *Index) divide(r *ranking, most float32) {
	var sum float32
	unlike := exp(-most) // the same for thousands without any evidence
	for d, l := range r.share {
		if l == 0 {
			r.share[d] = unlike
		} else {
			r.share[d] = exp(l - most)
		}
		sum += r.share[d]
	}
	r.shares = sum
	scale := 1 / sum
	x.unite(r)
	s := 0
	for a := range r.agents { // skills are sorted by agent
		var all float32
		for ; s < len(r.likely) && int(x.owner[s]) == a; s++ {
			d := x.doc[s]
			v := r.share[d] * scale
			if b := r.behind[s]; b < 0 {
				v *= exp(x.sharpness(d) * b)
			}
			if r.likely[s] = v; x.again[s] == none {
				all += v
			} else {
				all += x.more(r, s)
			}
		}
		r.agents[a] = float32(math.Sqrt(float64(all)))
	}
}

// more returns by how much a skill is likelier than the earlier ones of its agent that say the same.
func (x *Index) more(r *ranking, skill int) float32 {
	var most float32
	for s := skill - 1; s >= 0 && x.owner[s] == x.owner[skill]; s-- {
		if x.doc[s] == x.again[skill] || x.again[s] == x.again[skill] {
			most = max(most, r.likely[s])
		}
	}
	return max(r.likely[skill]-most, 0)
}

// minKinShare is the least part of the share of a version's best one that makes it as likely. What one version has an example of, and another one knows nothing
// of, is asked of the first.
const minKinShare = 0.2

// unite gives the versions of a skill that resemble a text about as much the sum of their shares: which of them has more of it is chance.
func (x *Index) unite(r *ranking) {
	for _, docs := range x.kin {
		var most, sum float32
		for _, d := range docs {
			most = max(most, r.share[d])
		}
		for _, d := range docs {
			if r.share[d] >= minKinShare*most {
				sum += r.share[d]
			}
		}
		for _, d := range docs {
			if r.share[d] >= minKinShare*most {
				r.share[d] = sum
			}
		}
	}
}
