package router

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxListed = 100 // candidates in a decision, and also rejections
	maxNamed  = 10  // rejections in the message of a refusal
)

// rejections are the agents that were considered and cannot take a task: as many as a decision has room for, and the number of the others.
type rejections struct {
	list    []orchestrator.Rejection
	omitted int
}

// newRejections returns rejections with room for some agents.
func newRejections(agents int) rejections {
	return rejections{list: make([]orchestrator.Rejection, 0, min(agents, maxListed))}
}

// add rejects an agent. It calls why only when there is room: hundreds of agents may be rejected, and writing takes longer than deciding.
func (r *rejections) add(agent, code string, why func() string) {
	if r.full() {
		r.omitted++
		return
	}
	r.list = append(r.list, orchestrator.Rejection{Agent: agent, Code: code, Reason: why()})
}

// full reports whether there is no room for another one.
func (r *rejections) full() bool { return len(r.list) == maxListed }

// noAgentError returns the fault that says why none of the agents that were considered can take the task.
func (r *rejections) noAgentError(kind fault.Kind, reason string) error {
	var why []string
	for _, x := range r.list[:min(len(r.list), maxNamed)] {
		why = append(why, x.Agent+": "+x.Reason)
	}
	if n := len(r.list) + r.omitted - len(why); n > 0 {
		why = append(why, fmt.Sprintf("and %d more", n))
	}
	return fault.New(kind, reason, "no agent can take the task: %s", strings.Join(why, "; "))
}
