package router

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/registry"
)

const (
	busyFactor    = 0.5
	unknownFactor = 0.25
	minFactor     = 0.05 // so that no signal alone rules an agent out
	minErrorRate  = 0.02 // error rates below it are not worth mentioning
)

// score rates candidates that filter has left and sorts them, best first. A score is the product of how well the agent fits and of how well it does at present.
func (r *Router) score(list []*candidate) {
	var fastest time.Duration
	for _, c := range list {
		if took := c.signal.latency; took > 0 && (fastest == 0 || took < fastest) {
			fastest = took
		}
	}
	for _, c := range list {
		c.score = c.relevance * c.byStatus() * c.byLoad() * c.byOutcomes(fastest)
	}
	slices.SortFunc(list, func(x, y *candidate) int {
		if x.drawback != y.drawback {
			return cmp.Compare(x.drawback, y.drawback)
		}
		if x.score != y.score {
			return cmp.Compare(y.score, x.score)
		}
		return cmp.Or(strings.Compare(x.agent.Name, y.agent.Name), strings.Compare(x.skill, y.skill))
	})
}

func (c *candidate) byStatus() float64 {
	switch c.status.Status {
	case registry.StatusBusy:
		return busyFactor
	case registry.StatusUnknown:
		return unknownFactor
	default:
		return 1
	}
}

func (c *candidate) byLoad() float64 {
	n, capacity := c.inFlight(), c.status.Capacity
	if capacity > 0 {
		c.load = float64(n) / float64(capacity)
		return max(1-0.9*c.load, minFactor)
	}
	c.load = float64(n)
	return max(1/float64(1+n), minFactor)
}

// inFlight returns how many tasks the agent works on: those of this process, and those of others that it reports. It reports every few seconds, within which it
// may have done a hundred tasks, so this process goes by what it knows of its own.
func (c *candidate) inFlight() int {
	return c.signal.inFlight + max(c.status.InFlight-c.signal.ownThen, 0)
}

func (c *candidate) byOutcomes(fastest time.Duration) float64 {
	factor := 1.0
	if took := c.signal.latency; took > 0 {
		slower := 1 - math.Sqrt(float64(fastest)/float64(took))
		factor *= max(1-slower*c.latencyWeight, minFactor)
	}
	if c.signal.errorRate > minErrorRate {
		factor *= max(1-c.signal.errorRate, minFactor)
	}
	return factor
}
