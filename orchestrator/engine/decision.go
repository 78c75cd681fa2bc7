package engine

import (
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

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
	case registry.ReasonMissing:
		return "is not registered any more"
	}
	return "could not be reached"
}
