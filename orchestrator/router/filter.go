package router

import (
	"fmt"
	"math"
	"strings"

	"github.com/quorate/quorate/registry"
)

// filter removes the agents that cannot take a task now, and those that are full or out of reach while another agent is not. A named agent may be
// full, out of reach or never heard of, because its caller has no alternative. The version must be in the range and the card trusted in any case.
func (r *Router) filter(tenant string, list []candidate, named bool, versions registry.VersionRange, rejected *rejections) (fit []*candidate) {
	easiest := drawback(math.MaxUint8)
	hard := make([]drawback, len(list))
	for i := range list {
		c := &list[i]
		switch {
		case !r.trusts(c.agent.Verification):
			hard[i] = untrusted
			continue
		case !versions.Holds(c.agent.Card.Version):
			hard[i] = otherVersion
			continue
		case named:
		case r.cut(tenant, c.agent.Name):
			hard[i] = unreachable
		case atCapacity(c.status):
			hard[i] = atCapacityDrawback
		}
		if statusObstacle(c.status, named) == "" {
			easiest = min(easiest, hard[i])
		}
	}
	fit = make([]*candidate, 0, len(list)) // pointers, since sorting the candidates themselves would copy them again and again
	for i := range list {
		c := &list[i]
		code := statusObstacle(c.status, named)
		switch {
		case hard[i] == untrusted:
			rejected.add(c.agent.Name, CodeUntrusted, func() string { return "its card is not signed as this server asks: " + c.agent.Verification.Reason })
			continue
		case hard[i] == otherVersion:
			rejected.add(c.agent.Name, CodeVersion, func() string { return fmt.Sprintf("its version %s is not %s", c.agent.Card.Version, versions) })
			continue
		case code != "" || hard[i] <= easiest:
		case hard[i] == unreachable:
			code = CodeUnreachable
		default:
			code = CodeFull
		}
		if code != "" {
			rejected.add(c.agent.Name, code, func() string { return describeCode(code, c.status) })
			continue
		}
		fit = append(fit, c)
	}
	return fit
}

// drawback is what counts against an agent if there is an alternative.
type drawback byte

const (
	atCapacityDrawback drawback = 1 + iota
	unreachable
	otherVersion // this and what follows counts even when there is no alternative
	untrusted
)

// AcceptsTasks reports whether an agent with a status gets tasks that do not name it.
func AcceptsTasks(s registry.Status) bool {
	return statusObstacle(s, false) == ""
}

func (r *Router) anyAccepts(list []candidate) bool {
	for i := range list { // a candidate is large
		if AcceptsTasks(list[i].status) && r.trusts(list[i].agent.Verification) {
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

// describeCode explains a code in words.
func describeCode(code string, s registry.Status) string {
	switch code {
	case CodeDraining:
		return "an admin keeps new tasks from it" + statusMessage(s)
	case CodeUnknown:
		return "it was never heard of and is used only when named" + statusMessage(s)
	case CodeError:
		return "it is in error" + statusMessage(s)
	case CodeFull:
		return fmt.Sprintf("it works on %d tasks and can work on %d; others have room", s.InFlight, s.Capacity)
	case CodeUnreachable:
		return "it could not be reached lately and is avoided for a while; other agents can be reached"
	default:
		return strings.TrimSpace("it is "+s.Status) + statusMessage(s)
	}
}

func statusMessage(s registry.Status) string {
	if s.ErrorMessage == "" {
		return ""
	}
	return ": " + s.ErrorMessage
}

// atCapacity reports whether an agent says that it has as many tasks as it can work on.
func atCapacity(s registry.Status) bool { return s.Capacity > 0 && s.InFlight >= s.Capacity }
