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
	busyFactor     = 0.5
	unknownFactor  = 0.25
	minFactor      = 0.05 // so that no signal alone rules an agent out
	minErrorRate   = 0.02 // error rates below it are not worth mentioning
	nearEqualShare = 0.8  // share of the best score
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
	for _, c := range list[:min(len(list), maxListed)] {
		c.explain()
	}
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

// stay returns the index of the first familiar agent among the candidates, or -1. It is one that fits about as well as any, whatever its load: another one
// would know nothing of what was said before. One that cannot be reached, or fails most tasks, keeps none.
func stay(list []*candidate, familiar []string) int {
	var most float64
	for _, c := range list {
		most = max(most, c.relevance)
	}
	for _, name := range familiar {
		i := slices.IndexFunc(list, func(c *candidate) bool {
			return c.agent.Name == name && c.relevance >= nearEqualShare*most && c.drawback <= drawbackFull
		})
		if i >= 0 {
			list[i].addReason("taken since it did earlier tasks of the context")
			return i
		}
	}
	return -1
}

// choose returns the index of one of the sorted candidates. To take the best each time would send all callers of all replicas to one agent until the
// signals catch up. Taking two of nearly equal candidates at random, and the less loaded one of these, spreads the tasks (power of two choices).
func (r *Router) choose(list []*candidate) int {
	near := 1
	for near < len(list) && list[near].drawback == list[0].drawback && list[near].score >= nearEqualShare*list[0].score {
		near++
	}
	if near == 1 {
		return 0
	}
	a := r.intn(near)
	b := r.intn(near - 1)
	if b >= a {
		b++
	}
	if list[b].load < list[a].load || (list[b].load == list[a].load && list[b].score > list[a].score) {
		a, b = b, a
	}
	list[a].addReason("taken as the less loaded of itself and %s, two of %d near-equals", list[b].agent.Name, near)
	return a
}
