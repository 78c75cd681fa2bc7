package engine

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// bindInputs checks the submission's inputs against those that its agent declares and puts them into the message. It leaves a consultation's content
// alone: that is to be judged, not an input of the agent's work.
func (s *Submission) bindInputs(r *router.Router, a registry.Agent) error {
	if s.parent != nil && s.parent.ConsultationID != "" {
		return nil
	}
	named, err := r.CheckInputs(s.Tenant, a, s.Inputs, s.Message)
	if err != nil {
		return err
	}
	s.Message, s.given = router.AttachInputs(s.Message, named), givenAs(s.Inputs, named)
	return nil
}

// maxOthers bounds how many candidates are looked at when the chosen one does not take the inputs.
const maxOthers = 10

// bindToChosen is bindInputs for the chosen agent, or for the best other one that takes the inputs: chance and load decide among these, and must not decide
// whether the task is refused. If no candidate takes them, those count that were left out because candidates have room, or can be reached.
func (e *Engine) bindToChosen(ctx context.Context, s *Submission, to *router.Result) error {
	others := leavesOut(&to.Decision) && s.chain == nil
	refusing, refusal := e.bindToCandidate(s, to)
	for refusal != nil && others {
		next, err := e.router.ResolveWithout(ctx, s.Tenant, s.Route, namesOf(refusing))
		if err != nil || next.Decision.Together() {
			break
		}
		others = leavesOut(&next.Decision)
		more, err := e.bindToCandidate(s, &next)
		if err == nil {
			next.Decision.Rejected = append(next.Decision.Rejected, refusing...)
			*to = next
			return nil
		}
		refusing = append(refusing, more...)
	}
	return refusal
}

// leavesOut reports whether a decision rejects agents only because others have room or can be reached.
func leavesOut(d *orchestrator.Decision) bool {
	return slices.ContainsFunc(d.Rejected, func(r orchestrator.Rejection) bool {
		return r.Code == router.CodeFull || r.Code == router.CodeUnreachable
	})
}

func namesOf(rejected []orchestrator.Rejection) []string {
	names := make([]string, len(rejected))
	for i, r := range rejected {
		names[i] = r.Agent
	}
	return names
}

// bindToCandidate is bindInputs for the chosen agent, or for the best other candidate. Those that do not take the inputs are rejected, and returned; refusal is
// why the chosen one does not, if none does.
func (e *Engine) bindToCandidate(s *Submission, to *router.Result) (refusing []orchestrator.Rejection, refusal error) {
	if refusal = s.bindInputs(e.router, to.Agent); refusal == nil {
		return nil, nil
	}
	chosen, candidates, before := to.Agent.Name, to.Decision.Candidates, len(to.Decision.Rejected)
	to.Decision = withoutCandidate(to.Decision, chosen, fault.From(refusal))
	for _, c := range candidates[:min(len(candidates), maxOthers)] {
		other, ok := e.Directory.Agent(s.Tenant, c.Agent)
		if !ok || c.Agent == chosen {
			continue
		}
		err := s.bindInputs(e.router, other)
		if err == nil {
			to.Decision, to.Agent = withChoice(to.Decision, chosen, c.Agent, fault.From(refusal)), other
			return to.Decision.Rejected[before:], nil
		}
		to.Decision = withoutCandidate(to.Decision, c.Agent, fault.From(err))
	}
	return to.Decision.Rejected[before:], refusal
}
