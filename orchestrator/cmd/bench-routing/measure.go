package main

import (
	"math"
	"slices"
	"time"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// result is what the texts of a set show. What they cannot show is NaN.
type result struct {
	fit, unfit            int
	r1, r5, ndcg5, agent1 float64 // of the texts that fit, refused or not
	recall, falseRefusals float64 // at the index's own limit
	recallAt              float64 // at the limit that refuses the wanted share of the texts that fit
	auroc                 float64
	median, p99           time.Duration
}

const cut = 5

func measure(index *text.Index, tests []test, falseRefusal float64) result {
	var r result
	var took []time.Duration
	var fit, unfit []float64 // margins over the limit
	for _, t := range tests {
		begin := time.Now()
		a := index.Search(t.text, cut)
		took = append(took, time.Since(begin))
		margin := a.Confidence / a.Limit
		if len(t.right) == 0 {
			r.unfit++
			unfit = append(unfit, margin)
			r.recall += one(a.Refused())
			continue
		}
		r.fit++
		fit = append(fit, margin)
		r.falseRefusals += one(a.Refused())
		r.judge(a.Hits[:min(len(a.Hits), cut)], t.right)
	}
	n := float64(r.fit)
	for _, sum := range []*float64{&r.r1, &r.r5, &r.ndcg5, &r.agent1, &r.falseRefusals} {
		*sum /= n
	}
	r.recall /= float64(r.unfit)
	r.recallAt, r.auroc = separation(fit, unfit, falseRefusal)
	slices.Sort(took)
	r.median, r.p99 = took[len(took)/2], took[len(took)*99/100]
	return r
}

// separation returns which share of the texts that do not fit is below the limit that refuses the wanted share of those that do, and the probability
// that a text that fits has the greater margin of two. Equal margins tell nothing apart, so they count half.
func separation(fit, unfit []float64, falseRefusal float64) (recall, auroc float64) {
	if len(fit) == 0 || len(unfit) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(fit)
	limit := fit[int(falseRefusal*float64(len(fit)))]
	for _, m := range unfit {
		below, _ := slices.BinarySearch(fit, m)
		notAbove, _ := slices.BinarySearch(fit, math.Nextafter(m, math.Inf(1)))
		auroc += 1 - float64(below+notAbove)/2/float64(len(fit))
		recall += one(m < limit)
	}
	n := float64(len(unfit))
	return recall / n, auroc / n
}

// judge adds what the hits for a text with these right skills are worth. R@k is the share of them among the first k.
func (r *result) judge(hits []text.Hit, right []label) {
	var gain, ideal, found float64
	for i, h := range hits {
		if !slices.Contains(right, label{h.Agent, h.Skill}) {
			continue
		}
		found++
		gain += 1 / math.Log2(float64(i)+2)
		if i == 0 {
			r.r1++
		}
	}
	for i := range min(len(right), cut) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	r.r5 += found / float64(min(len(right), cut))
	r.ndcg5 += gain / ideal
	r.agent1 += one(len(hits) > 0 && slices.ContainsFunc(right, func(l label) bool { return l.agent == hits[0].Agent }))
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
