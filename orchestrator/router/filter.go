package router

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

// filter takes out the agents that cannot take a task now. A named agent may be one that was never heard of, or that is full: its caller
// has no other.
func filter(list []candidate, named bool) (fit []candidate, rejected []orchestrator.Rejection) {
	spare := false // somebody has room
	for _, c := range list {
		if code, _ := obstacle(c.agent.Status, named); code == "" && !full(c.agent.Status) {
			spare = true
		}
	}
	for _, c := range list {
		code, why := obstacle(c.agent.Status, named)
		if code == "" && !named && spare && full(c.agent.Status) {
			code, why = CodeFull, fmt.Sprintf("it works on %d tasks and can work on %d; others have room", c.agent.Status.InFlight, c.agent.Status.Capacity)
		}
		if code != "" {
			rejected = append(rejected, orchestrator.Rejection{Agent: c.agent.Name, Code: code, Reason: why})
			continue
		}
		fit = append(fit, c)
	}
	return fit, rejected
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
