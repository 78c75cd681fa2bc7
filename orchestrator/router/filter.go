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
	easiest := hardship(math.MaxUint8)
	hard := make([]hardship, len(list))
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
			hard[i] = outOfReach
		case full(c.status):
			hard[i] = noRoom
		}
		if obstacle(c.status, named) == "" {
			easiest = min(easiest, hard[i])
		}
	}
	fit = make([]*candidate, 0, len(list)) // pointers, since sorting the candidates themselves would copy them again and again
	for i := range list {
		c := &list[i]
		code := obstacle(c.status, named)
		switch {
		case hard[i] == untrusted:
			rejected.add(c.agent.Name, CodeUntrusted, func() string { return "its card is not signed as this server asks: " + c.agent.Verification.Reason })
			continue
		case hard[i] == otherVersion:
			rejected.add(c.agent.Name, CodeVersion, func() string { return fmt.Sprintf("its version %s is not %s", c.agent.Card.Version, versions) })
			continue
		case code != "" || hard[i] <= easiest:
		case hard[i] == outOfReach:
			code = CodeUnreachable
		default:
			code = CodeFull
		}
		if code != "" {
			rejected.add(c.agent.Name, code, func() string { return why(code, c.status) })
			continue
		}
		fit = append(fit, c)
	}
	return fit
}

// hardship is what counts against an agent if there is an alternative.
type hardship byte

const (
	noRoom hardship = 1 + iota
	outOfReach
	otherVersion // this and what follows counts even when there is no alternative
	untrusted
)

// Takes reports whether an agent with a status gets tasks that do not name it.
func Takes(s registry.Status) bool {
	return obstacle(s, false) == ""
}

func (r *Router) takesAny(list []candidate) bool {
	for i := range list { // a candidate is large
		if Takes(list[i].status) && r.trusts(list[i].agent.Verification) {
			return true
		}
	}
	return false
}

// obstacle returns the code of what keeps an agent with a status from a task, or "" when nothing does.
func obstacle(s registry.Status, named bool) string {
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

// why explains a code in words.
func why(code string, s registry.Status) string {
	switch code {
	case CodeDraining:
		return "an admin keeps new tasks from it" + told(s)
	case CodeUnknown:
		return "it was never heard of; it is used only when named"
	case CodeError:
		return "it is in error" + told(s)
	case CodeFull:
		return fmt.Sprintf("it works on %d tasks and can work on %d; others have room", s.InFlight, s.Capacity)
	case CodeUnreachable:
		return "it could not be reached lately and is avoided for a while; other agents can be reached"
	default:
		return strings.TrimSpace("it is "+s.Status) + told(s)
	}
}

func told(s registry.Status) string {
	if s.ErrorMessage == "" {
		return ""
	}
	return ": " + s.ErrorMessage
}

// full reports whether an agent says that it has as many tasks as it can work on.
func full(s registry.Status) bool { return s.Capacity > 0 && s.InFlight >= s.Capacity }
