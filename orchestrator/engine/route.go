package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
)

// Resolve decides where a submission would go as Submit does, and stores and sends nothing. Its inputs are checked when it has any, or a
// message. A route that leads nowhere is a decision that says why; an error is trouble with deciding.
func (e *Engine) Resolve(ctx context.Context, s Submission) (orchestrator.Decision, error) {
	if err := checkInputs(s.Inputs); err != nil {
		return orchestrator.Decision{}, err
	}
	to, err := e.decide(ctx, &s)
	if err != nil && to.Decision.Refused == "" {
		return orchestrator.Decision{}, err
	}
	if err == nil && (len(s.Inputs) > 0 || s.Message != nil) {
		if err := e.checkRoute(&s, to); err != nil {
			to.Decision.Chosen, to.Decision.FanOut, to.Decision.Refused = "", nil, fault.From(err).Message
		}
	}
	return to.Decision, nil
}

// decide has the router decide, and measures it.
func (e *Engine) decide(ctx context.Context, s *Submission) (to router.Result, err error) {
	begin := time.Now()
	if s.chain != nil {
		to, err = e.router.ResolveStep(ctx, s.Tenant, s.chain, s.link)
	} else {
		to, err = e.router.Resolve(ctx, s.Tenant, s.Route)
	}
	e.meters.route(ctx, time.Since(begin), &to.Decision, err)
	return to, err
}

// checkRoute checks a submission's inputs against those who would get them.
func (e *Engine) checkRoute(s *Submission, to router.Result) error {
	if to.Decision.Together() {
		_, err := e.plan(s, to)
		return err
	}
	_, err := e.router.CheckInputs(s.Tenant, to.Agent, s.Inputs, s.Message)
	return err
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
