package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	"github.com/quorate/quorate/registry"
)

// execute has the agent do the work once there is room with the agent. A task that waits for its caller is only looked at.
func (e *Engine) execute(ctx context.Context, t orchestrator.Task) (stepResult, error) {
	agent, client, binding, err := e.connect(ctx, &t)
	if err == nil {
		err = e.checkStillFits(&t, &agent)
	}
	if err != nil {
		return e.handleFailure(ctx, t, err)
	}
	if wait := e.firstPollDelay(&t); wait > 0 {
		return stepResult{wait: wait}, nil
	}
	ctx = agentclient.WithExtensions(ctx, agentmessage.Extensions(&t))
	leave := e.exchanges.Acquire(&t, agentKey(&t))
	if leave == nil {
		return stepResult{}, nil
	}
	defer leave()
	e.runners.freeSlot()
	if isUnanswered(&t) {
		if wait, still := e.pollWaiting(ctx, &t, client); still {
			return stepResult{wait: wait}, nil
		}
	}
	return e.converse(ctx, t, &agent, client, binding)
}

// connect returns the agent of a task and a client to it.
func (e *Engine) connect(ctx context.Context, t *orchestrator.Task) (agent registry.Agent, client agentclient.Client, binding string, err error) {
	if agent, err = e.agent(ctx, t.Tenant, t.Agent); err == nil {
		client, binding, err = e.Connect.Connect(agent.Name, agent.Card)
	}
	return agent, client, binding, err
}

// budgetWait is how long a retry waits for which the budget has no room. That is neither a failure nor written: that the task waits is stored already.
const budgetWait = time.Second

// converse stores the intent, sends the message or resumes what an earlier process sent, follows the agent to its end and stores the result. The retry
// budget or the agent's circuit breaker may make it wait instead.
func (e *Engine) converse(ctx context.Context, t orchestrator.Task, agent *registry.Agent, client agentclient.Client, binding string) (stepResult, error) {
	end, ok := e.budget.Begin(isRetry(&t))
	if !ok {
		return stepResult{wait: pause.Jittered(budgetWait)}, nil
	}
	defer end()
	breaker := e.breakers.Of(t.Tenant, t.Agent)
	if !breaker.TryAcquirePermit() {
		return e.onBreakerOpen(ctx, t, pause.Jittered(max(breaker.RemainingDelay(), e.RetryDelay)), breaker.Cut(t.Agent))
	}
	first, err := e.lookUp(ctx, &t)
	if err != nil {
		breaker.ReturnPermit(err)
		return e.handleFailure(ctx, t, err)
	}
	if !e.fresh.claim(&t) {
		var intended orchestrator.Task
		if err = e.reconcile(ctx, &t, client, breaker.RecordSuccess); err == nil {
			intended, err = e.storeIntent(ctx, t, binding)
		}
		if err != nil {
			breaker.ReturnPermit(err)
			return e.handleFailure(ctx, t, err)
		}
		t = intended
	}
	c := &conversation{
		engine: e, client: client, agent: agentKey(&t), stream: agent.Card.Streaming, announces: agent.Card.PushNotifications && !agent.Card.Streaming,
		mu: newLatch(), task: t, first: first,
	}
	c.onReached = sync.OnceFunc(func() {
		c.reached = true
		breaker.RecordSuccess()
		end()
	})
	return e.runConversation(ctx, c, breaker)
}

// isRetry reports whether the task had to wait because its agent could not be reached. Work that was taken over from another replica is no retry.
func isRetry(t *orchestrator.Task) bool {
	a := t.OpenAttempt()
	return (a == nil || a.RemoteTaskID == "") && !t.NextDue.IsZero()
}

// onBreakerOpen gives a task that its agent's breaker has cut off to another agent, or lets it wait. It stores that the task waits only if the task does not
// say so already: thousands may wait for an agent for hours, and come here every few seconds.
func (e *Engine) onBreakerOpen(ctx context.Context, t orchestrator.Task, wait time.Duration, cut *fault.Error) (stepResult, error) {
	if e.fresh.claim(&t) { // the message was not sent, though the task was accepted with the intent to
		t.EditOpenAttempt().NotTaken = true
	}
	if next, moved, err := e.fallBack(ctx, &t, cut); moved {
		return next, err
	}
	if a := t.OpenAttempt(); !t.NextDue.IsZero() && (a == nil || a.Error != nil && a.Error.Reason == cut.Reason) {
		return stepResult{wait: wait}, nil
	}
	return e.postpone(ctx, t, wait, cut)
}

// runConversation runs the conversation, learns from it how the agent does, and stores what came of it.
func (e *Engine) runConversation(ctx context.Context, c *conversation, breaker admission.Breaker) (stepResult, error) {
	t := c.task
	name, kind, attributes := describeExchange(&t)
	ctx, span := e.tracerOf(&t).Start(underTrace(ctx, &t, true), name, kind, attributes)
	// What came of it is stored even if the deadline passes meanwhile. That is by the engine's clock, from which this machine's may differ.
	limited, stop := context.WithTimeoutCause(ctx, t.Deadline.Sub(e.now()), errDeadline)
	defer stop()
	limited, c.cancel = context.WithCancelCause(limited)
	defer c.cancel(nil)
	defer c.endHolding()
	e.runners.setConversation(t.Key(), c)
	if breaker.IsHalfOpen() {
		defer breaker.EndProbeInTime()()
	}

	end := e.router.Begin(t.Tenant, t.Agent)
	err := c.run(limited)
	end(outcome(limited, c, err))
	markFailed(span, err)
	span.End()
	switch {
	case agentclient.Retryable(err):
		breaker.Fail(err)
	case err != nil && !c.reached && (limited.Err() != nil || isOurs(err)): // that says nothing about the agent
		breaker.ReturnPermit(err)
	default:
		c.onReached()
	}
	var next stepResult
	if cause := context.Cause(limited); cause != nil {
		next, err = e.concludeInterrupted(ctx, c, cause, err)
	} else {
		next, err = e.concludePatiently(ctx, c, err)
	}
	if errors.Is(err, errMoved) { // the next step may end the task
		e.keepDraft(ctx, c)
	}
	return next, err
}

// errDeadline is the errMoved of an exchange that has run out of time.
var errDeadline = fmt.Errorf("%w: its deadline has passed", errMoved)
