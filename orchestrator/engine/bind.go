package engine

import (
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

// bindToCandidate is bindInputs for the chosen agent, or for the best other candidate that takes the inputs: chance and load decide among these, and must not
// decide whether the task is refused. Those that do not take the inputs are rejected; if none does, the error says why the chosen one does not.
func (e *Engine) bindToCandidate(s *Submission, to *router.Result) error {
	refusal := s.bindInputs(e.router, to.Agent)
	if refusal == nil {
		return nil
	}
	chosen, candidates := to.Agent.Name, to.Decision.Candidates
	to.Decision = withoutCandidate(to.Decision, chosen, fault.From(refusal))
	for _, c := range candidates {
		other, ok := e.Directory.Agent(s.Tenant, c.Agent)
		if !ok || c.Agent == chosen {
			continue
		}
		err := s.bindInputs(e.router, other)
		if err == nil {
			to.Decision, to.Agent = withChoice(to.Decision, chosen, c.Agent, fault.From(refusal)), other
			return nil
		}
		to.Decision = withoutCandidate(to.Decision, c.Agent, fault.From(err))
	}
	return refusal
}
