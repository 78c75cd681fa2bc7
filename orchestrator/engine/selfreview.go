package engine

import (
	"context"
	"fmt"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// checkSelfReview refuses to consult a target that would judge its own work under another name or in another role: a FailedPrecondition fault with
// the reason SELF_REVIEW. A target that is not registered is a NotFound fault with the reason AGENT_NOT_FOUND: nobody knows whether it is another one.
// Without a consultation there is no evidence, so nothing else has to check this.
func (e *Engine) checkSelfReview(ctx context.Context, t *orchestrator.Task, r consultation.Requirement) error {
	if r.TargetAgent == t.Agent {
		return nil // the ledger refuses it
	}
	target, err := e.agent(ctx, t.Tenant, r.TargetAgent)
	if err != nil {
		return err
	}
	at, same, err := e.servedWith(ctx, t.Agent, &target)
	if err != nil {
		return err
	}
	if same {
		return fault.New(fault.FailedPrecondition, "SELF_REVIEW",
			"requirement %q names %s, which is served at %s as %s is; an agent cannot review its own work under another name: %s", r.ID, r.TargetAgent, at, t.Agent, correctRule(t))
	}
	if r.Phase != consultation.PhasePreExecution || !t.IsStep() {
		return nil
	}
	parent, err := e.Store.Task(ctx, t.ParentKey())
	if err != nil {
		return fmt.Errorf("look for who made what task %s begins with: %w", t.ID, err)
	}
	return e.checkEarlierSteps(ctx, parent.Plan, t, r, &target)
}

// correctRule says what to do about a rule of the task's agent that nobody can meet.
func correctRule(t *orchestrator.Task) string {
	return fmt.Sprintf("name another target in the metadata of %s, then cancel this task, which keeps the rules that it was accepted under, and submit it anew", t.Agent)
}

// checkEarlierSteps refuses a target that did an earlier step of the chain to which t belongs, also under another name.
func (e *Engine) checkEarlierSteps(ctx context.Context, p *orchestrator.Plan, t *orchestrator.Task, r consultation.Requirement, target *registry.Agent) error {
	if p == nil || p.Mode != orchestrator.PlanChain {
		return nil
	}
	for i := range p.Steps {
		if p.Steps[i].TaskID == t.ID {
			return nil
		}
		_, same, err := e.servedWith(ctx, p.Steps[i].Agent, target)
		if err != nil {
			return err
		}
		if same {
			return fault.New(fault.FailedPrecondition, "SELF_REVIEW",
				"requirement %q names %s, which made what the task begins with in a step before; an agent cannot review its own work: %s", r.ID, r.TargetAgent, correctRule(t))
		}
	}
	return nil
}

// servedWith reports whether the agent of a name is the target or has an address in common with it, and which. An agent that was deleted has none.
func (e *Engine) servedWith(ctx context.Context, name string, target *registry.Agent) (at string, same bool, err error) {
	if name == target.Name {
		return "", true, nil
	}
	source, err := e.agent(ctx, target.Tenant, name)
	if fault.KindOf(err) == fault.NotFound {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	at, same = agentcard.SharedAddress(&source.Card, &target.Card)
	return at, same, nil
}
