package router

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/registry"
)

// filter removes the agents that cannot take a task now, and those that are full or out of reach while as many others as are needed are not. A named agent may
// be full, out of reach or never heard of, because its caller has no alternative. The version must be in the range and the card trusted in any case.
func (r *Router) filter(tenant string, list []candidate, named bool, needed int, versions registry.VersionRange, rejected *rejections) (fit []*candidate) {
	var with [drawbackUnreachable + 1]int // how many without an obstacle have which drawback
	for i := range list {
		c := &list[i]
		if c.obstacle = r.obstacle(c, named, versions); c.obstacle != "" {
			continue
		}
		if !named {
			c.drawback = r.drawback(tenant, c)
		}
		with[c.drawback]++
	}
	most := drawbackNone // that a candidate may have
	for n := with[most]; n < needed && most < drawbackUnreachable; n += with[most] {
		most++
	}
	fit = make([]*candidate, 0, len(list)) // pointers, since sorting the candidates themselves would copy them again and again
	for i := range list {
		c := &list[i]
		if c.obstacle == "" && c.drawback > most {
			c.obstacle = c.drawback.code()
		}
		if c.obstacle == "" {
			fit = append(fit, c)
		} else {
			rejected.add(c.agent.Name, c.obstacle, func() string { return c.describeObstacle(versions) })
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

// drawback is what keeps an agent from a task only if there are enough alternatives with a smaller one.
type drawback byte

const (
	drawbackNone drawback = iota
	drawbackFull
	drawbackUnreachable
)

func (r *Router) drawback(tenant string, c *candidate) drawback {
	switch {
	case r.cut(tenant, c.agent.Name):
		return drawbackUnreachable
	case atCapacity(c.status):
		return drawbackFull
	default:
		return drawbackNone
	}
}

func (d drawback) code() string {
	if d == drawbackUnreachable {
		return CodeUnreachable
	}
	return CodeFull
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

// avoided says why an agent is cut.
const avoided = "it could not be reached lately and is avoided for a while"

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
	case CodeFull:
		return fmt.Sprintf("it works on %d tasks and can work on %d; others have room", s.InFlight, s.Capacity)
	case CodeUnreachable:
		return avoided + "; other agents can be reached"
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

// atCapacity reports whether an agent says that it has as many tasks as it can work on.
func atCapacity(s registry.Status) bool { return s.Capacity > 0 && s.InFlight >= s.Capacity }
