package engine

import (
	"context"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

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
