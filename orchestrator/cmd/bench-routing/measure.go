package main

import (
	"math"
	"slices"
	"time"

	"github.com/quorate/quorate/orchestrator/router/text"
)

// result is what the texts of a set show.
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
		r.judge(a.Hits, t.right)
	}
	n := float64(max(r.fit, 1))
	for _, sum := range []*float64{&r.r1, &r.r5, &r.ndcg5, &r.agent1, &r.falseRefusals} {
		*sum /= n
	}
	r.recall /= float64(max(r.unfit, 1))
	slices.Sort(fit)
	slices.Sort(took)
	if len(fit) > 0 && len(unfit) > 0 {
		limit := fit[int(falseRefusal*float64(len(fit)))]
		for _, m := range unfit {
			below, _ := slices.BinarySearch(fit, m)
			r.auroc += 1 - float64(below)/float64(len(fit))
			r.recallAt += one(m < limit)
		}
		r.auroc /= float64(len(unfit))
		r.recallAt /= float64(len(unfit))
	}
	if len(took) > 0 {
		r.median, r.p99 = took[len(took)/2], took[len(took)*99/100]
	}
	return r
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
