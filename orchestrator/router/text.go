package router

import (
	"context"
	"fmt"
	"strings"

	"github.com/quorate/quorate/orchestrator/router/text"
	"github.com/quorate/quorate/platform/fault"
)

const (
	nearest    = 3   // skills that a refusal names
	looked     = 30  // skills that are considered
	nearAsGood = 0.5 // share of the best score: agents below it do not resemble the text
)

// byText finds the agents with the skills that resemble a text most.
func (r *Router) byText(ctx context.Context, tenant, words string) found {
	answer := r.library.texts(tenant).index.Search(words, looked)
	hits := bestOfEach(answer.Hits)
	second := r.second.judge(ctx, words, answer, hits, func(h text.Hit) string {
		if a, _, ok := r.directory.Peek(tenant, h.Agent); ok {
			return documentOf(a, h.Skill)
		}
		return ""
	})
	refused := answer.Refused() && !second.fits
	f := found{candidates: r.spare.take()}
	var unlike []text.Hit
	for i, h := range second.hits {
		like := h.Score / second.hits[0].Score
		if refused || like < nearAsGood {
			if i < nearest || !refused {
				unlike = append(unlike, h)
			}
			continue
		}
		a, status, ok := r.directory.Peek(tenant, h.Agent)
		if !ok || !has(a, h.Skill) {
			continue // the agent is gone since the index was built
		}
		c := candidate{agent: a, status: status, skill: h.Skill, relevance: like}
		c.say("skill %s: probability %.2f, %s", h.Skill, h.Share, stage(answer, h))
		if second.note != "" {
			c.say("%s", second.note)
		}
		f.candidates = append(f.candidates, c)
	}
	f.others = func(rejected *rejections) { // after those that do what the text asks for but cannot now
		for _, h := range unlike {
			rejected.add(h.Agent, CodeNotAlike, func() string { return fmt.Sprintf("of its skills %s is the nearest, with %.2f", h.Skill, h.Share) })
		}
	}
	if len(f.candidates) == 0 {
		f.refusal = notAlike(answer, hits, second.note)
	}
	return f
}

// stage says what a hit is based on.
func stage(a text.Answer, h text.Hit) string {
	by := "by shared words"
	if a.Trained {
		by = "by shared words and examples"
	}
	return fmt.Sprintf("%s (%.0f %% of the text's words by weight); confidence %.2f where %.2f is needed", by, 100*h.Words, a.Confidence, a.Limit)
}

// bestOfEach keeps the best hit of each agent.
func bestOfEach(hits []text.Hit) []text.Hit {
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

func notAlike(a text.Answer, hits []text.Hit, note string) error {
	clipped := ""
	if a.Clipped {
		clipped = "; of a text this long only the beginning is compared: ask in a few words"
	}
	if len(hits) == 0 {
		return fault.New(fault.NotFound, ReasonNoneFits, "no agent does what the text asks for: none of its meaningful words is in any card%s", clipped)
	}
	var names []string
	for _, h := range hits[:min(len(hits), nearest)] {
		names = append(names, fmt.Sprintf("%s of %s (%.2f)", h.Skill, h.Agent, h.Share))
	}
	if note != "" {
		note = " (" + note + ")"
	}
	return fault.New(fault.NotFound, ReasonNoneFits, "no agent does what the text asks for: confidence %.2f where %.2f is needed%s; the nearest are %s%s",
		a.Confidence, a.Limit, note, strings.Join(names, ", "), clipped)
}
