package router

import (
	"fmt"
	"math"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

// filter takes out the agents that cannot take a task now, and those that are full or out of reach while another one is not. A named agent
// may be all that, and never heard of: its caller has no other.
func (r *Router) filter(tenant string, list []candidate, named bool) (fit []candidate, rejected []orchestrator.Rejection) {
	easiest := hardship(math.MaxInt)
	hard := make([]hardship, len(list))
	for i := range list {
		c := &list[i]
		switch {
		case named:
		case r.cut(tenant, c.agent.Name):
			hard[i] = outOfReach
		case full(c.agent.Status):
			hard[i] = noRoom
		}
		if code, _ := obstacle(c.agent.Status, named); code == "" {
			easiest = min(easiest, hard[i])
		}
	}
	fit = list[:0] // an agent is large, and nobody needs the list any more
	for i := range list {
		c := &list[i]
		code, why := obstacle(c.agent.Status, named)
		if code == "" && hard[i] > easiest {
			code, why = CodeFull, fmt.Sprintf("it works on %d tasks and can work on %d; others have room", c.agent.Status.InFlight, c.agent.Status.Capacity)
			if hard[i] == outOfReach {
				code, why = CodeUnreachable, "it could not be reached lately and is left alone for a while; others can be"
			}
		}
		if code != "" {
			rejected = append(rejected, orchestrator.Rejection{Agent: c.agent.Name, Code: code, Reason: why})
			continue
		}
		fit = append(fit, *c)
	}
	return fit, rejected
}

// hardship is what speaks against an agent when there is another one.
type hardship int

const (
	noRoom hardship = 1 + iota
	outOfReach
)

// Takes reports whether an agent in a status takes tasks that do not name it.
func Takes(s registry.Status) bool {
	code, _ := obstacle(s, false)
	return code == ""
}

// obstacle says why an agent in a status cannot take a task; the code is empty when it can.
func obstacle(s registry.Status, named bool) (code, why string) {
	switch {
	case s.Draining:
		return CodeDraining, "an admin keeps new tasks from it" + told(s)
	case s.Status == registry.StatusAvailable, s.Status == registry.StatusBusy, s.Status == registry.StatusUnknown && named:
		return "", ""
	case s.Status == registry.StatusUnknown:
		return CodeUnknown, "it was never heard of; it is used only when named"
	case s.Status == registry.StatusError:
		return CodeError, "it is in error" + told(s)
	default:
		return CodeUnavailable, strings.TrimSpace("it is "+s.Status) + told(s)
	}
}

func told(s registry.Status) string {
	if s.ErrorMessage == "" {
		return ""
	}
	return ": " + s.ErrorMessage
}

// full reports whether an agent says that it works on as many tasks as it can.
func full(s registry.Status) bool { return s.Capacity > 0 && s.InFlight >= s.Capacity }
