package engine

import (
	"time"

	"github.com/quorate/quorate/orchestrator"
)

// goneAfter is how long nothing is heard of an agent that cannot be reached before it counts as gone. One that is restarted is back sooner.
const goneAfter = 5 * time.Minute

// keepsAgent reports whether nobody else may do a task instead of its agent. What the agent has accepted might be done twice, so it waits for the agent; unless
// that is gone. Work that must not be done twice waits also where it only may have begun, and a conversation always: another agent would know nothing of it.
func (e *Engine) keepsAgent(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	switch {
	case len(t.Turns) > 0:
		return true
	case t.AtMostOnce:
		return isAccepted(a) || a != nil && mayHaveBegun(a)
	default:
		return isAccepted(a) && !e.isGone(t)
	}
}

// isAccepted reports whether the agent has accepted what an attempt sent.
func isAccepted(a *orchestrator.Attempt) bool { return a != nil && a.RemoteTaskID != "" }

// isGone reports whether the agent of a task that cannot be reached will hardly be back: its registration was deleted, or it has not been heard of for a long
// time, in which this process would have heard of it.
func (e *Engine) isGone(t *orchestrator.Task) bool {
	agent, ok := e.Directory.Agent(t.Tenant, t.Agent)
	if !ok {
		return true
	}
	now := e.now()
	return agent.Status.Silent && min(now.Sub(agent.Status.LastHeartbeat), now.Sub(e.started)) >= goneAfter
}
