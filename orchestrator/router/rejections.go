package router

import (
	"fmt"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxListed = 100 // candidates in a decision, and as many rejections
	maxNamed  = 10  // rejections in the text of a refusal
)

// rejections are the agents that were looked at and cannot take a task: as many as a decision has room for, and how many more there are.
type rejections struct {
	list    []orchestrator.Rejection
	omitted int
}

// newRejections has room for rejections of some agents.
func newRejections(agents int) rejections {
	return rejections{list: make([]orchestrator.Rejection, 0, min(agents, maxListed))}
}

// add rejects an agent. Why is asked only when there is room for it: hundreds may be rejected, and to write takes longer than to decide.
func (r *rejections) add(agent, code string, why func() string) {
	if len(r.list) == maxListed {
		r.omitted++
		return
	}
	r.list = append(r.list, orchestrator.Rejection{Agent: agent, Code: code, Reason: why()})
}

// nobody says of the agents that were looked at why they cannot take the task.
func (r *rejections) nobody() error {
	var why []string
	for _, x := range r.list[:min(len(r.list), maxNamed)] {
		why = append(why, x.Agent+": "+x.Reason)
	}
	if n := len(r.list) + r.omitted - len(why); n > 0 {
		why = append(why, fmt.Sprintf("and %d more", n))
	}
	return fault.New(fault.Unavailable, ReasonNobody, "no agent can take the task: %s", strings.Join(why, "; "))
}
