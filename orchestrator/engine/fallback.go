package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// sendsBeforeFallback is how often a message is sent to an unreachable agent before another agent, if there is one, gets the task.
const sendsBeforeFallback = 3

// unreachableReasons are the reasons of faults for an agent that cannot be reached, asks for a credential that Quorate does not have, has a version
// other than the one asked for, or has a card that is not trusted any more.
var unreachableReasons = []string{
	agentclient.ReasonUnreachable, agentclient.ReasonDenied, agentauth.ReasonUnavailable, agentauth.ReasonUnfit, registry.ReasonMissing, "ADDRESS_BLOCKED",
	router.ReasonVersion, router.CodeUntrusted,
}

// fallBack moves a task whose agent cannot be reached to the next candidate of its decision; moved is false when it stays. A task for a named agent
// has no other candidate.
func (e *Engine) fallBack(ctx context.Context, t *orchestrator.Task, why *fault.Error) (next stepResult, moved bool, err error) {
	if e.keepsAgent(t) || !slices.Contains(unreachableReasons, why.Reason) {
		return stepResult{}, false, nil
	}
	for _, c := range t.Decision.Candidates {
		agent, ok := e.alternative(ctx, t, c.Agent)
		if !ok {
			continue
		}
		m, given, err := e.rebindInputs(agent, t)
		if err != nil { // the agent does not accept the inputs
			continue
		}
		next, err := e.transition(ctx, t, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
			e.closeAttempt(t, shortened(errorOf(why)))
			instead := event(t, orchestrator.EventAttempt, fmt.Sprintf("%s %s; %s is next: %s", t.Agent, shortReason(why), agent.Name, why.Message))
			t.Decision = withNewChoice(t.Decision, t.Agent, agent.Name, why)
			t.Agent, t.Skill, t.Requirements, t.Gates = agent.Name, c.Skill, requirements(agent.Metadata), nil
			t.Message, t.Inputs = m, given
			t.AtMostOnce = agent.Metadata.AtMostOnce(c.Skill)
			t.Artifacts, t.Metadata, t.NextDue = nil, nil, time.Time{} // what the agent before had made goes
			return append([]orchestrator.Event{instead}, e.enterPhase(t, firstPhase(t))...)
		})
		return next, true, err
	}
	return stepResult{}, false, nil
}

// alternative returns a candidate if it can take over a task: it is not the task's agent, is available and has a suitable version. Those that were tried before
// are no candidates any more.
func (e *Engine) alternative(ctx context.Context, t *orchestrator.Task, name string) (registry.Agent, bool) {
	if name == t.Agent {
		return registry.Agent{}, false
	}
	agent, err := e.agent(ctx, t.Tenant, name)
	if err != nil || !router.AcceptsTasks(agent.Status) || e.breakers.IsOpen(t.Tenant, name, agent.Status.LastHeartbeat) || !e.Signatures.Trusts(agent.Verification) {
		return agent, false
	}
	if !versionInRange(t, &agent) {
		return agent, false
	}
	_, _, err = e.Connect.Connect(agent.Name, agent.Card)
	return agent, err == nil
}

// versionInRange reports whether an agent has a version that the task asks for.
func versionInRange(t *orchestrator.Task, a *registry.Agent) bool {
	versions, err := registry.ParseVersionRange(t.VersionRange)
	return err == nil && versions.Holds(a.Card.Version)
}

// checkStillFits is the fault for a task that has not been sent yet to an agent that may not get it any more: its new version is not among those that
// the task asks for, or its card is not trusted since a key was unpinned.
func (e *Engine) checkStillFits(t *orchestrator.Task, agent *registry.Agent) error {
	a := t.OpenAttempt()
	switch {
	case a != nil && (a.RemoteTaskID != "" || !a.NotTaken):
		return nil
	case !versionInRange(t, agent):
		return fault.New(fault.NotFound, router.ReasonVersion, "%s is of version %s by now, and the task asks for %s", agent.Name, agent.Card.Version, t.VersionRange)
	case !e.Signatures.Trusts(agent.Verification):
		return fault.New(fault.FailedPrecondition, router.CodeUntrusted, "the card of %s is not signed any more as this server asks: %s", agent.Name, agent.Verification.Reason)
	}
	return nil
}
