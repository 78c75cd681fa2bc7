package router

import (
	"fmt"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// explained returns a candidate as a decision lists it.
func (c *candidate) explained() orchestrator.Candidate {
	c.explain()
	return orchestrator.Candidate{Agent: c.agent.Name, Skill: c.skill, Score: c.score, Reasons: append(c.reasons, c.taken...)}
}

// explain writes down why a candidate has its score. It is called only for candidates that a decision lists, since writing takes longer than rating.
func (c *candidate) explain() {
	if c.match.output != nil {
		c.explainMatch()
	}
	c.reasons = append(c.reasons, "status "+c.status.Status)
	if n := len(c.agent.Metadata.ConsultationRequirements); n > 0 { // another candidate may have none, and chance decide whether the task is reviewed
		c.addReason("consultation rules: %d", n)
	}
	switch n := c.inFlight(); {
	case c.status.Capacity > 0:
		c.addReason("%d of %d tasks under way", n, c.status.Capacity)
	case n > 0:
		c.addReason("tasks under way: %d", n)
	}
	switch c.drawback {
	case drawbackFull:
		c.addReason("full: comes after all that have room")
	case drawbackFailing:
		c.addReason("most of its tasks failed lately: comes after all that do better")
	case drawbackUnreachable:
		c.addReason("could not be reached lately: comes after all others")
	default:
	}
	if c.signal.latency > 0 {
		c.addReason("takes %s", c.signal.latency.Round(time.Millisecond))
	}
	if c.signal.errorRate > minErrorRate {
		c.addReason("%.0f %% of its tasks failed lately", 100*c.signal.errorRate)
	}
}

// explainMatch writes down how a candidate fulfils a contract.
func (c *candidate) explainMatch() {
	out, want := c.match.output, c.match.want
	c.reasons = append(make([]string, 0, 4), "makes "+describe(typedOf(out)))
	if c.match.byRelatedType() {
		c.addReason("which may stand for a %s", want.Output.SemanticType)
	}
	if !out.Guaranteed {
		c.addReason("not always")
	}
	if n := len(want.Inputs); n > 0 {
		c.addReason("of %d of %d inputs", c.match.usedInputs, n)
	}
}

func (c *candidate) addReason(format string, args ...any) {
	c.reasons = append(c.reasons, fmt.Sprintf(format, args...))
}

// isTaken adds why a candidate is chosen.
func (c *candidate) isTaken(format string, args ...any) {
	c.taken = append(c.taken, fmt.Sprintf(format, args...))
}
