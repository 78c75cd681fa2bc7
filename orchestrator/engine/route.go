package engine

import (
	"context"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
)

// Resolve decides where a route leads as Submit does, and sends nothing. A route that leads nowhere is a decision that says why; an error is
// trouble with deciding.
func (e *Engine) Resolve(ctx context.Context, tenant string, r orchestrator.Route) (orchestrator.Decision, error) {
	got, err := e.router.Resolve(ctx, tenant, r)
	if err != nil && got.Decision.Refused == "" {
		return orchestrator.Decision{}, err
	}
	return got.Decision, nil
}

// outcome is what an attempt says about its agent.
func outcome(ctx context.Context, c *conversation, err error) router.Outcome {
	switch {
	case ctx.Err() != nil: // ended from outside
		return router.Neither
	case fault.KindOf(err) == fault.Unavailable:
		return router.Failed
	case err != nil || !c.heard.ended():
		return router.Neither
	}
	switch why := c.heard.failure(); {
	case why == nil:
		return router.Succeeded
	case why.Reason == reasonFailed:
		return router.Failed
	default:
		return router.Neither
	}
}
