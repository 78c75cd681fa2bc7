package engine

import (
	"context"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
)

// replaceUnreachable has others step in for those of a fan-out who cannot be reached: the best of the agents that could have been asked and were not,
// each with a step of its own, so that all who do the task are different. In a chain another agent takes over the step's task.
func (e *Engine) replaceUnreachable(ctx context.Context, r *planRound) {
	if r.plan.Mode == orchestrator.PlanChain {
		return
	}
	var gone []string
	for i := range r.plan.Steps {
		if s := &r.plan.Steps[i]; s.State == a2apb.TaskState_TASK_STATE_FAILED && s.Error != nil && (s.Error.Reason == router.ReasonNobody || slices.Contains(unreachableReasons, s.Error.Reason)) {
			gone = append(gone, s.Agent)
		}
	}
	for {
		stood := len(r.plan.Steps) - len(r.task.Decision.FanOut)
		if stood >= len(gone) {
			return
		}
		c, ok := e.nextCandidate(ctx, r.task, r.plan)
		if !ok {
			return
		}
		r.plan.Steps = append(r.plan.Steps, orchestrator.Step{Link: orchestrator.Link{Agent: c.Agent}, Skill: c.Skill})
		r.log(len(r.plan.Steps)-1, "does it instead of %s", gone[stood])
	}
}

// nextCandidate is the best agent that a fan-out could have gone to and that has no step in it, if there is one that can take the task.
func (e *Engine) nextCandidate(ctx context.Context, t *orchestrator.Task, p *orchestrator.Plan) (orchestrator.Candidate, bool) {
	m, inputs := stepContent(t.Message, p, 0, nil) // the same for each
	for _, c := range t.Decision.Candidates {
		if slices.ContainsFunc(p.Steps, func(s orchestrator.Step) bool { return s.Agent == c.Agent }) {
			continue
		}
		agent, ok := e.alternative(ctx, t, c.Agent)
		if !ok {
			continue
		}
		if _, err := e.router.CheckInputs(t.Tenant, agent, inputs, m); err == nil {
			return c, true
		}
	}
	return orchestrator.Candidate{}, false
}
