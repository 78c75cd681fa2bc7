package router

import (
	"fmt"
	"time"
)

// explain writes down why a candidate has its score. It is called only for candidates that a decision lists, since writing takes longer than rating.
func (c *candidate) explain() {
	if c.match.output != nil {
		c.explainMatch()
	}
	c.reasons = append(c.reasons, "status "+c.status.Status)
	switch n := c.underWay(); {
	case c.status.Capacity > 0:
		c.say("%d of %d tasks under way", n, c.status.Capacity)
	case n > 0:
		c.say("%d tasks under way", n)
	}
	if c.seen.latency > 0 {
		c.say("takes %s", c.seen.latency.Round(time.Millisecond))
	}
	if c.seen.errorRate > tooFew {
		c.say("%.0f %% of its tasks failed lately", 100*c.seen.errorRate)
	}
}

// explainMatch writes down how a candidate fulfils a contract.
func (c *candidate) explainMatch() {
	out, want := c.match.output, c.match.want
	c.reasons = append(make([]string, 0, 4), "makes "+show(typedOf(out)))
	if c.match.loose() {
		c.say("which may stand for a %s", want.Output.SemanticType)
	}
	if !out.Guaranteed {
		c.say("not always")
	}
	if n := len(want.Inputs); n > 0 {
		c.say("of %d of %d inputs", c.match.used, n)
	}
}

func (c *candidate) say(format string, args ...any) {
	c.reasons = append(c.reasons, fmt.Sprintf(format, args...))
}
