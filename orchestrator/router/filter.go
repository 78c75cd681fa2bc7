package router

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/registry"
)

// filter removes the agents that cannot take a task now. A named agent may be one that was never heard of, because its caller has no alternative. The version must
// be in the range and the card trusted in any case.
func (r *Router) filter(tenant string, list []candidate, named bool, versions registry.VersionRange, rejected *rejections) (fit []*candidate) {
	fit = make([]*candidate, 0, len(list)) // pointers, since sorting the candidates themselves would copy them again and again
	for i := range list {
		c := &list[i]
		if c.obstacle = r.obstacle(c, named, versions); c.obstacle != "" {
			rejected.add(c.agent.Name, c.obstacle, func() string { return c.describeObstacle(versions) })
			continue
		}
		fit = append(fit, c)
	}
	r.signals.annotate(tenant, fit)
	for _, c := range fit {
		if !named {
			c.drawback = r.drawback(tenant, c)
		}
	}
	return fit
}

// obstacle returns the code of what keeps an agent from a task even if there is no alternative, or "" when nothing does.
func (r *Router) obstacle(c *candidate, named bool, versions registry.VersionRange) string {
	switch {
	case !r.trusts(c.agent.Verification):
		return CodeUntrusted
	case !r.speaks(&c.agent.Card):
		return CodeUnspoken
	case !versions.Holds(c.agent.Card.Version):
		return CodeVersion
	default:
		return statusObstacle(c.status, named)
	}
}

// drawback is what makes an agent come after all that have a smaller one. It is no obstacle, since those may not take the inputs, or be gone before the task is
// done.
type drawback byte

const (
	drawbackNone drawback = iota
	drawbackFull
	drawbackFailing
	drawbackUnreachable
)

// failingRate is the error rate above which an agent comes after those that fail less. Its score alone would not keep tasks from it: an agent that fails them at
// once has none under way, which makes it the best of all where the others have many.
const failingRate = 0.5

func (r *Router) drawback(tenant string, c *candidate) drawback {
	switch {
	case r.cut(tenant, c.agent.Name, c.status.LastHeartbeat):
		return drawbackUnreachable
	case c.signal.errorRate > failingRate:
		return drawbackFailing
	case c.status.Capacity > 0 && c.inFlight() >= c.status.Capacity:
		return drawbackFull
	default:
		return drawbackNone
	}
}

// AcceptsTasks reports whether an agent with a status gets tasks that do not name it.
func AcceptsTasks(s registry.Status) bool {
	return statusObstacle(s, false) == ""
}

// accepts reports whether an agent gets tasks that do not name it, of any version.
func (r *Router) accepts(a *registry.Agent, s registry.Status) bool {
	return AcceptsTasks(s) && r.trusts(a.Verification) && r.speaks(&a.Card)
}

func (r *Router) anyAccepts(list []candidate) bool {
	for i := range list { // a candidate is large
		if r.accepts(list[i].agent, list[i].status) {
			return true
		}
	}
	return false
}

// statusObstacle returns the code of what keeps an agent with a status from a task, or "" when nothing does.
func statusObstacle(s registry.Status, named bool) string {
	switch {
	case s.Draining:
		return CodeDraining
	case s.Status == registry.StatusAvailable, s.Status == registry.StatusBusy, s.Status == registry.StatusUnknown && named:
		return ""
	case s.Status == registry.StatusUnknown:
		return CodeUnknown
	case s.Status == registry.StatusError:
		return CodeError
	default:
		return CodeUnavailable
	}
}

// describeObstacle explains a candidate's obstacle in words.
func (c *candidate) describeObstacle(versions registry.VersionRange) string {
	switch s := c.status; c.obstacle {
	case CodeUntrusted:
		return "its card is not signed as this server asks: " + c.agent.Verification.Reason
	case CodeUnspoken:
		return "it offers no interface that Quorate speaks"
	case CodeVersion:
		return fmt.Sprintf("its version %s is not %s", c.agent.Card.Version, versions)
	case CodeDraining:
		return "an admin keeps new tasks from it" + statusMessage(s)
	case CodeUnknown:
		return "it was never heard of and is used only when named" + statusMessage(s)
	case CodeError:
		return "it is in error" + statusMessage(s)
	default:
		return strings.TrimSpace("it is "+s.Status) + statusMessage(s)
	}
}

func statusMessage(s registry.Status) string {
	if message := s.Message(); message != "" {
		return ": " + message
	}
	return ""
}
