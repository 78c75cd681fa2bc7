package router

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/orchestrator/router/text"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxNearestNamed  = 3   // skills that a refusal names; copies of an agent count as one
	maxHits          = 30  // skills that are considered; copies of the best one count as one
	minLikeness      = 0.7 // share of the best score: agents below it do not resemble the text, whatever else speaks for them
	minSecondOpinion = 0.5 // the same for a skill that the second stage may find to fit
)

// byText finds the agents with the skills that resemble a text most.
func (r *Router) byText(ctx context.Context, tenant, words string) searchResult {
	answer := r.indexes.textIndex(tenant).index.Search(words, maxHits)
	hits := bestPerAgent(answer.Hits)
	second := r.secondStage.judge(ctx, tenant, words, answer, hits, func(h text.Hit) string {
		if a, _, ok := r.directory.Peek(tenant, h.Agent); ok {
			if s := skillOf(a, h.Skill); s != nil {
				return skillDocument(s)
			}
		}
		return ""
	})
	refused := answer.Refused() && !second.fits
	f := searchResult{candidates: r.pool.get()}
	var unlike []text.Hit
	for i, h := range second.hits {
		like := h.Score / second.hits[0].Score
		if refused || like < minLikeness {
			if i < maxNearestNamed || !refused {
				unlike = append(unlike, h)
			}
			continue
		}
		a, status, ok := r.directory.Peek(tenant, h.Agent)
		if !ok || skillOf(a, h.Skill) == nil {
			continue // the agent is gone since the index was built
		}
		c := candidate{agent: a, status: status, skill: h.Skill, relevance: like}
		c.addReason("skill %s: probability %.2f, %s", h.Skill, h.Share, describeHit(answer, h))
		if second.note != "" {
			c.addReason("%s", second.note)
		}
		f.candidates = append(f.candidates, c)
	}
	f.rejectOthers = func(rejected *rejections) { // after those that do what the text asks for but cannot now
		for _, h := range unlike {
			rejected.add(h.Agent, CodeNotAlike, func() string { return fmt.Sprintf("of its skills %s is the nearest, with %.2f", h.Skill, h.Share) })
		}
	}
	if len(f.candidates) == 0 {
		f.refusal = noSkillFits(answer, hits, second.note)
	}
	return f
}

// describeHit says what a hit is based on.
func describeHit(a text.Answer, h text.Hit) string {
	by := "by shared words"
	if a.Trained {
		by = "by shared words and examples"
	}
	return fmt.Sprintf("%s (%.0f %% of the text's words by weight); confidence %.2f where %.2f is needed", by, 100*h.Words, a.Confidence, a.Limit)
}

// bestPerAgent keeps the best hit of each agent.
func bestPerAgent(hits []text.Hit) []text.Hit {
	seen := make(map[string]bool)
	var out []text.Hit
	for _, h := range hits {
		if !seen[h.Agent] {
			seen[h.Agent] = true
			out = append(out, h)
		}
	}
	return out
}

// isCopy reports whether an earlier hit says the same.
func isCopy(hits []text.Hit, at int) bool {
	return slices.ContainsFunc(hits[:at], func(h text.Hit) bool { return h.Document == hits[at].Document })
}

func noSkillFits(a text.Answer, hits []text.Hit, note string) error {
	clipped := ""
	if a.Clipped {
		clipped = "; of a text this long only the beginning is compared: ask in a few words"
	}
	if len(hits) == 0 {
		return fault.New(fault.NotFound, ReasonNoneFits, "no agent does what the text asks for: none of its meaningful words is in any card%s", clipped)
	}
	var names []string
	for i, h := range hits {
		if len(names) < maxNearestNamed && !isCopy(hits, i) {
			names = append(names, fmt.Sprintf("%s of %s (%.2f)", h.Skill, h.Agent, h.Share))
		}
	}
	if note != "" {
		note = " (" + note + ")"
	}
	return fault.New(fault.NotFound, ReasonNoneFits, "no agent does what the text asks for: confidence %.2f where %.2f is needed%s; the nearest are %s%s",
		a.Confidence, a.Limit, note, strings.Join(names, ", "), clipped)
}
