package engine

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// fanOutToTakers has the best other candidates of a fan-out do what those were chosen for that do not take the inputs, and goes on without those for whom there
// is nobody, if the others are as many as have to complete the task: load and speed decide who are the best, and must not decide whether the task is refused.
func (e *Engine) fanOutToTakers(s *Submission, to *router.Result) {
	takers, d, more := make([]router.Pick, 0, len(to.Several)), to.Decision, true
	d.FanOut = slices.Clone(d.FanOut)
	for i, p := range to.Several {
		_, err := e.router.CheckInputs(s.Tenant, p.Agent, s.Inputs, s.Message)
		var other router.Pick
		switch {
		case err == nil:
			takers = append(takers, p)
			continue
		case more:
			other, more = e.otherTaker(s, &d)
		}
		d = withNewChoice(d, p.Agent.Name, other.Agent.Name, fault.From(err))
		d.Chosen, d.Skill = "", ""
		if more {
			takers, d.FanOut[i] = append(takers, other), other.Agent.Name
		}
	}
	if len(takers) < stepsNeeded(s.Route.FanOut, len(to.Several)) {
		to.Decision.Candidates, to.Decision.Rejected = d.Candidates, d.Rejected
		return // why is found out when the inputs are checked
	}
	to.Several, to.Decision, to.Decision.FanOut = takers, d, nil
	for _, p := range takers {
		to.Decision.FanOut = append(to.Decision.FanOut, p.Agent.Name)
	}
}

// otherTaker returns the best candidate that takes the inputs and is not in the fan-out.
func (e *Engine) otherTaker(s *Submission, d *orchestrator.Decision) (_ router.Pick, ok bool) {
	for _, c := range d.Candidates {
		if slices.Contains(d.FanOut, c.Agent) {
			continue
		}
		if other, ok := e.Directory.Agent(s.Tenant, c.Agent); ok {
			if _, err := e.router.CheckInputs(s.Tenant, other, s.Inputs, s.Message); err == nil {
				return router.Pick{Agent: other, Skill: c.Skill}, true
			}
		}
	}
	return router.Pick{}, false
}

// checkFirstSteps checks the inputs of the steps that take nothing from other steps.
func (e *Engine) checkFirstSteps(ctx context.Context, s *Submission, to *router.Result, p *orchestrator.Plan) error {
	whole := router.AttachInputs(s.Message, s.Inputs)
	for i := range p.Steps {
		if !p.Due(i) {
			continue
		}
		a, ok := e.Directory.Agent(s.Tenant, p.Steps[i].Agent)
		if !ok {
			return registry.Missing(registry.Key{Tenant: s.Tenant, Name: p.Steps[i].Agent})
		}
		step := Submission{Tenant: s.Tenant, chain: p.Chain(), link: i}
		step.Message, step.Inputs = stepContent(whole, p, i, nil)
		_, err := e.router.CheckInputs(s.Tenant, a, step.Inputs, step.Message)
		switch {
		case err == nil, step.chain != nil && e.stepToTaker(ctx, &step, to, p, fault.From(err)):
		case step.chain != nil:
			to.Decision = withoutCandidate(to.Decision, a.Name, fault.From(err))
			return err
		default: // the decision of a fan-out says it already
			return err
		}
	}
	return nil
}

// stepToTaker gives a step of a chain whose agent does not take its inputs to the best other agent that does, if there is one: which of them is in the chain
// is chance, and must not decide whether the task is refused.
func (e *Engine) stepToTaker(ctx context.Context, s *Submission, to *router.Result, p *orchestrator.Plan, why *fault.Error) bool {
	step := &p.Steps[s.link]
	got, _ := e.router.ResolveStep(ctx, s.Tenant, s.chain, s.link) // whom it leads to does not matter here
	for _, c := range got.Decision.Candidates {
		other, ok := e.Directory.Agent(s.Tenant, c.Agent)
		if !ok || c.Agent == step.Agent {
			continue
		}
		if _, err := e.router.CheckInputs(s.Tenant, other, s.Inputs, s.Message); err != nil {
			continue
		}
		d := withNewChoice(to.Decision, step.Agent, c.Agent, why)
		d.Chosen, d.Chain = "", slices.Clone(d.Chain)
		d.Chain[s.link].Agent, step.Agent = c.Agent, c.Agent
		to.Decision = d
		return true
	}
	return false
}
