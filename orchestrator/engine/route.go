package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agenttask"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/fault"
)

// Resolve decides where a submission would go, as Submit does, without storing or sending anything. It checks the message and the inputs if the
// submission has any: what could not be part of any task is the fault of Submit. A route that leads to no agent, or to one that lacks an input, is a
// decision that says why; an error means that no decision could be made.
func (e *Engine) Resolve(ctx context.Context, s Submission) (orchestrator.Decision, error) {
	check := len(s.Inputs) > 0 || s.Message != nil
	if s.Message == nil {
		s.Message = &a2apb.Message{} // there are inputs only, or not even those
		if err := checkInputs(s.Inputs); err != nil {
			return orchestrator.Decision{}, err
		}
	} else if err := s.check(); err != nil {
		return orchestrator.Decision{}, err
	}
	var to router.Result
	var err error
	if check {
		if to, _, err = e.place(ctx, &s); err == nil {
			err = checkSize(s.Message, orchestrator.MaxMessageBytes)
		}
	} else {
		to, err = e.decide(ctx, &s)
	}
	if err != nil && to.Decision.Refused == "" {
		return orchestrator.Decision{}, err
	}
	return to.Decision, nil
}

// place decides where a submission goes, and puts its inputs into the message; if several agents do the task, there is a plan. Before it refuses the inputs, it
// decides again by what is known by then: an agent that takes them may have joined, or changed, a moment ago.
func (e *Engine) place(ctx context.Context, s *Submission) (to router.Result, p *orchestrator.Plan, err error) {
	for renewed := false; ; renewed = true {
		if to, err = e.decide(ctx, s); err != nil {
			return to, nil, err
		}
		if p, err = e.bind(ctx, s, &to); err == nil {
			return to, p, nil
		}
		if renewed {
			d := &to.Decision
			d.Chosen, d.Skill, d.Chain, d.FanOut, d.Refused = "", "", nil, nil, fault.From(err).Message
			return to, nil, err
		}
		if _, err := e.router.Renew(ctx, s.Tenant); err != nil {
			return router.Result{}, nil, err
		}
	}
}

// decide has the router decide, and measures that. It says of the inputs what the route says of them.
func (e *Engine) decide(ctx context.Context, s *Submission) (to router.Result, err error) {
	s.typeInputs()
	begin := time.Now()
	if s.chain != nil {
		to, err = e.router.ResolveStep(ctx, s.Tenant, s.chain, s.link)
	} else {
		var familiar []string
		if familiar, err = e.familiar(ctx, s); err != nil {
			return to, err
		}
		to, err = e.router.Resolve(ctx, s.Tenant, s.Route, familiar...)
	}
	e.meters.route(ctx, time.Since(begin), &to.Decision, err)
	return to, err
}

// bind checks a submission's inputs against those of the agents that would get them, and puts them into the message.
func (e *Engine) bind(ctx context.Context, s *Submission, to *router.Result) (*orchestrator.Plan, error) {
	if !to.Decision.Together() {
		return nil, e.bindToCandidate(s, to)
	}
	p, err := e.buildPlan(ctx, s, to)
	if err == nil {
		s.Message = router.AttachInputs(s.Message, s.Inputs)
	}
	return p, err
}

// outcome returns what an attempt says about its agent, for the router. An agent that refuses or rejects a task counts as one that fails it, though what the
// task asks may be why: one that does so with all would else be idle, and get more of them than any other.
func outcome(ctx context.Context, c *conversation, err error) router.Outcome {
	switch {
	case ctx.Err() != nil: // it was ended from outside
		return router.Inconclusive
	case err != nil && (isOurs(err) || fault.ReasonOf(err) == agentclient.ReasonDraftsTooLarge):
		return router.Inconclusive
	case agentclient.Retryable(err):
		return router.Unreached
	case err != nil:
		return router.Failed
	case !c.remote.Ended():
		return router.Inconclusive
	}
	switch why := c.remote.Failure(); {
	case why == nil:
		return router.Succeeded
	case why.Reason == agenttask.ReasonCanceled:
		return router.Inconclusive
	default:
		return router.Failed
	}
}
