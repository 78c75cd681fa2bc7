package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// checkSelfReview refuses to consult a target that would judge its own work under another name or in another role: a FailedPrecondition fault with
// the reason SELF_REVIEW. Without a consultation there is no evidence, so nothing else has to check this.
func (e *Engine) checkSelfReview(ctx context.Context, t *orchestrator.Task, r consultation.Requirement) error {
	source, known := e.Directory.Agent(t.Tenant, t.Agent)
	target, there := e.Directory.Agent(t.Tenant, r.TargetAgent)
	if known && there && r.TargetAgent != t.Agent { // the ledger checks for the same name
		if at, same := sharedAddress(source.Card, target.Card); same {
			return fault.New(fault.FailedPrecondition, "SELF_REVIEW",
				"requirement %q names %s, which is served at %s as %s is; an agent cannot review its own work under another name", r.ID, r.TargetAgent, at, t.Agent)
		}
	}
	if r.Phase != consultation.PhasePreExecution || t.Parent == nil || t.CarriesConsultation() {
		return nil
	}
	parent, err := e.Store.Task(ctx, orchestrator.Key{Tenant: t.Tenant, ID: t.Parent.TaskID})
	if err != nil {
		return fmt.Errorf("look for who made what task %s begins with: %w", t.ID, err)
	}
	if didEarlierStep(parent.Plan, t.ID, r.TargetAgent) {
		return fault.New(fault.FailedPrecondition, "SELF_REVIEW",
			"requirement %q names %s, which made what the task begins with in a step before; an agent cannot review its own work", r.ID, r.TargetAgent)
	}
	return nil
}

// sharedAddress returns a URL that both cards have among their interfaces.
func sharedAddress(source, target registry.Card) (url string, ok bool) {
	for _, x := range source.Interfaces {
		same := func(y registry.Interface) bool {
			return y.Tenant == x.Tenant && strings.EqualFold(strings.TrimSuffix(y.URL, "/"), strings.TrimSuffix(x.URL, "/"))
		}
		if slices.ContainsFunc(target.Interfaces, same) {
			return x.URL, true
		}
	}
	return "", false
}

// didEarlierStep reports whether an agent did an earlier step of the chain to which a task belongs.
func didEarlierStep(p *orchestrator.Plan, taskID, agent string) bool {
	if p == nil || p.Mode != orchestrator.PlanChain {
		return false
	}
	for i := range p.Steps {
		switch {
		case p.Steps[i].TaskID == taskID:
			return false
		case p.Steps[i].Agent == agent:
			return true
		}
	}
	return false
}
