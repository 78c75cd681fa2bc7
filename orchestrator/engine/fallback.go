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
	agentclient.ReasonUnreachable, agentclient.ReasonDenied, agentauth.ReasonUnavailable, agentauth.ReasonUnfit, "AGENT_NOT_FOUND", "ADDRESS_BLOCKED",
	router.ReasonVersion, router.CodeUntrusted,
}

// fallBack moves a task whose agent cannot be reached to the next candidate of its decision; moved is false when it stays. A task for a named agent
// has no other candidate. A task that its agent has accepted, or may be working on after a time-out, stays, because it might be done twice.
func (e *Engine) fallBack(ctx context.Context, t *orchestrator.Task, why *fault.Error) (next stepResult, moved bool, err error) {
	if a := t.OpenAttempt(); a != nil && a.RemoteTaskID != "" || len(t.Turns) > 0 || !slices.Contains(unreachableReasons, why.Reason) {
		return stepResult{}, false, nil
	}
	if a := t.OpenAttempt(); t.AtMostOnce && a != nil && a.Sends > 0 && !a.NotTaken {
		return stepResult{}, false, nil // the message may have arrived
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
		e.claimFresh(t) // the intent to send was for the agent before
		next, err := e.transition(ctx, t, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
			e.closeAttempt(t, shortened(errorOf(why)))
			instead := event(t, orchestrator.EventAttempt, fmt.Sprintf("%s %s; %s is next: %s", t.Agent, shortReason(why), agent.Name, why.Message))
			t.Decision = withNewChoice(t.Decision, t.Agent, agent.Name, why)
			t.Agent, t.Skill, t.Requirements, t.Gates = agent.Name, c.Skill, requirements(agent.Metadata), nil
			t.Message, t.Inputs = m, given
			t.AtMostOnce = agent.Metadata.AtMostOnce(c.Skill)
			t.NextDue = time.Time{}
			return append([]orchestrator.Event{instead}, e.enterPhase(t, firstPhase(t))...)
		})
		return next, true, err
	}
	return stepResult{}, false, nil
}

// alternative returns an agent if it can take over a task: it was not tried yet, is available and has a suitable version.
func (e *Engine) alternative(ctx context.Context, t *orchestrator.Task, name string) (registry.Agent, bool) {
	if name == t.Agent || slices.ContainsFunc(t.Attempts, func(a orchestrator.Attempt) bool { return a.Agent == name }) || e.breakers.IsOpen(t.Tenant, name) {
		return registry.Agent{}, false
	}
	agent, err := e.agent(ctx, t.Tenant, name)
	if err != nil || !router.AcceptsTasks(agent.Status) || !e.Signatures.Trusts(agent.Verification) {
		return agent, false
	}
	if !versionInRange(t, &agent) {
		return agent, false
	}
	_, _, err = e.Connect.Connect(agent.Name, agent.Card)
	return agent, err == nil
}

// withNewChoice returns a decision with another choice.
func withNewChoice(d orchestrator.Decision, from, to string, why *fault.Error) orchestrator.Decision {
	return withoutCandidate(withChoice(d, from, to, why), from, why)
}

// withChoice returns a decision with a choice that takes the place of from.
func withChoice(d orchestrator.Decision, from, to string, why *fault.Error) orchestrator.Decision {
	d.Chosen = to
	d.Candidates = slices.Clone(d.Candidates)
	for i, c := range d.Candidates {
		if c.Agent == to {
			d.Skill = c.Skill
			d.Candidates[i].Reasons = append(slices.Clone(c.Reasons), "taken since "+from+" "+shortReason(why))
		}
	}
	return d
}

// withoutCandidate returns a decision that rejects an agent.
func withoutCandidate(d orchestrator.Decision, agent string, why *fault.Error) orchestrator.Decision {
	d.Candidates = slices.DeleteFunc(slices.Clone(d.Candidates), func(c orchestrator.Candidate) bool { return c.Agent == agent })
	code := router.CodeUnreachable
	switch why.Reason {
	case router.ReasonVersion:
		code = router.CodeVersion
	case router.CodeUntrusted, router.CodeNoInput, router.CodeBadInput:
		code = why.Reason
	}
	d.Rejected = append(slices.Clone(d.Rejected), orchestrator.Rejection{Agent: agent, Code: code, Reason: shortened(errorOf(why)).Message})
	return d
}

// shortReason returns a short reason why an agent does not do a task, to be put behind its name.
func shortReason(why *fault.Error) string {
	switch why.Reason {
	case router.ReasonVersion:
		return "is of another version by now"
	case router.CodeUntrusted:
		return "is not trusted any more"
	case router.CodeNoInput, router.CodeBadInput:
		return "does not take the inputs"
	}
	return "could not be reached"
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
