package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// execute has the agent do the work: it stores the intent, sends the message or resumes what an earlier process sent, follows the agent to its end
// and stores the result.
func (e *Engine) execute(ctx context.Context, t orchestrator.Task) (step, error) {
	agent, err := e.agent(ctx, t.Tenant, t.Agent)
	if err != nil {
		return e.giveUp(ctx, t, err)
	}
	client, binding, err := e.Connect.Connect(agent.Name, agent.Card)
	if err == nil {
		err = e.unfit(&t, &agent)
	}
	if err != nil {
		return e.giveUp(ctx, t, err)
	}
	ctx = agentclient.WithExtensions(ctx, requested(&t))
	leave := e.room.enter(&t, agentKey(&t))
	if leave == nil {
		return step{}, nil
	}
	defer leave()
	e.makeWay()
	if t.Waits() && t.Unsent() == nil {
		if wait, still := e.look(ctx, &t, client); still {
			return step{wait: wait}, nil
		}
	}
	end, ok := e.budget.begin(retried(&t))
	if !ok {
		return step{wait: jittered(budgetWait)}, nil
	}
	defer end()
	breaker := e.breakers.of(t.Tenant, t.Agent)
	if !breaker.TryAcquirePermit() {
		return e.cutOff(ctx, t, jittered(max(breaker.RemainingDelay(), e.RetryDelay)))
	}
	if !e.isFresh(&t) {
		if err = e.reconcile(ctx, &t, client); err == nil {
			t, err = e.intend(ctx, t, binding)
		}
		if err != nil {
			breaker.RecordFailure() // the permit is used up, although nothing was learned about the agent
			return e.giveUp(ctx, t, err)
		}
	}
	return e.converse(ctx, &conversation{
		engine: e, client: client, stream: agent.Card.Streaming, announces: agent.Card.PushNotifications && !agent.Card.Streaming,
		mu: newLatch(), task: t, reached: sync.OnceFunc(func() {
			breaker.RecordSuccess()
			end()
		}),
	}, breaker)
}

// cutOff gives a task whose agent's breaker is open to another agent, or lets it wait. It stores that the task waits only if the task does not say so
// already: thousands may wait for an agent for hours, and come here every few seconds.
func (e *Engine) cutOff(ctx context.Context, t orchestrator.Task, wait time.Duration) (step, error) {
	cut := fault.New(fault.Unavailable, agentclient.ReasonUnreachable, "%s could not be reached %d times in a row", t.Agent, breakerFailures)
	if next, moved, err := e.fallBack(ctx, &t, cut); moved {
		return next, err
	}
	if a := t.Open(); !t.NextDue.IsZero() && (a == nil || a.Error != nil && a.Error.Reason == cut.Reason) {
		return step{wait: wait}, nil
	}
	return e.postpone(ctx, t, wait, cut)
}

// converse runs the conversation and stores its result.
func (e *Engine) converse(ctx context.Context, c *conversation, breaker circuitbreaker.CircuitBreaker[any]) (step, error) {
	t := c.task
	ctx, span := e.Tracer.Start(remoteSpan(ctx, &t), "invoke_agent "+t.Agent, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String(attrAgent, t.Agent), attribute.String(attrTask, t.ID)))
	defer span.End()
	ctx, stop := context.WithDeadlineCause(ctx, t.Deadline, errDeadline)
	defer stop()
	ctx, c.cancel = context.WithCancelCause(ctx)
	defer c.cancel(nil)

	end := e.router.Begin(t.Tenant, t.Agent)
	err := c.run(ctx)
	end(outcome(ctx, c, err))
	if agentclient.Retryable(err) {
		breaker.RecordFailure()
	} else {
		c.reached()
	}
	if cause := context.Cause(ctx); cause != nil {
		refused := fault.KindOf(cause) == fault.InvalidArgument // the store will never accept what the agent has said so far
		if !refused && (err != nil || !c.done || errors.Is(cause, errDeadline)) {
			return e.interrupted(ctx)
		}
		var cancel context.CancelFunc // the result must be stored: whoever takes over the task would not know that the work is done
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
		defer cancel()
		if refused {
			return e.giveUp(ctx, c.task, cause)
		}
	}
	if err != nil {
		c.heard.name(&c.task)
		return e.giveUp(ctx, c.task, err)
	}
	if err := e.keepContext(ctx, c); err != nil {
		return step{}, err
	}
	if !c.heard.ended() { // it waits for its caller, which is stored already
		return step{wait: e.lookAgain(&c.task)}, nil
	}
	next, err := e.settle(ctx, c)
	if fault.KindOf(err) == fault.InvalidArgument { // the store will never accept it
		return e.giveUp(ctx, c.task, err)
	}
	return next, err
}

// interrupted returns what follows an exchange that was ended from outside.
func (e *Engine) interrupted(ctx context.Context) (step, error) {
	if cause := context.Cause(ctx); !errors.Is(cause, errDeadline) {
		return step{}, cause
	}
	return step{again: true}, nil // the next step ends the task
}

var errDeadline = errors.New("the task's deadline has passed")

// remoteSpan returns ctx with the task's own trace as the parent of what follows, sampled.
func remoteSpan(ctx context.Context, t *orchestrator.Task) context.Context {
	traceID, err1 := trace.TraceIDFromHex(t.TraceID)
	spanID, err2 := trace.SpanIDFromHex(t.SpanID)
	if err1 != nil || err2 != nil {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceID, SpanID: spanID, TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

// intend stores that the message is about to be sent, under which id and for the how manieth time.
func (e *Engine) intend(ctx context.Context, read orchestrator.Task, binding string) (orchestrator.Task, error) {
	return e.own(ctx, &read, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		sent := e.attempt(t, binding)
		if found := read.Open(); found != nil { // it may just have been found
			t.Open().RemoteTaskID = found.RemoteTaskID
		}
		if t.LastEvent > orchestrator.MaxEvents {
			return nil
		}
		return []orchestrator.Event{sent}
	})
}

// attempt writes the intent to send to the task: a new attempt, or one more sending of the open one.
func (e *Engine) attempt(t *orchestrator.Task, binding string) orchestrator.Event {
	a := t.EditOpen()
	if a == nil {
		n := len(t.Attempts) + 1
		t.Attempts = append(t.Attempts, orchestrator.Attempt{
			Number: n, Agent: t.Agent, MessageID: orchestrator.MessageID(t.ID, n), StartTime: e.now(),
		})
		a = t.Open()
	}
	a.Binding, a.Error = binding, nil
	t.State = a2apb.TaskState_TASK_STATE_WORKING
	if reply := t.EditUnsent(); reply != nil {
		reply.Sends++
		return event(t, orchestrator.EventAttempt, fmt.Sprintf("attempt %d: message %d to %s over %s", a.Number, reply.Number, a.Agent, binding))
	}
	a.Sends++
	a.NotTaken = false
	if a.Sends > 1 {
		return event(t, orchestrator.EventAttempt, fmt.Sprintf("attempt %d: taken up again with %s over %s", a.Number, a.Agent, binding))
	}
	return event(t, orchestrator.EventAttempt, fmt.Sprintf("attempt %d: to %s over %s", a.Number, a.Agent, binding))
}

// remember notes that the task was accepted together with the intent to send its message.
func (e *Engine) remember(t *orchestrator.Task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fresh[keyOf(t)] = t.OwnerEpoch
}

// isFresh reports, once, whether this process accepted the task together with the intent to send, has held its lease ever since, and has not sent the
// message yet.
func (e *Engine) isFresh(t *orchestrator.Task) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	epoch, ok := e.fresh[keyOf(t)]
	delete(e.fresh, keyOf(t))
	return ok && epoch == t.OwnerEpoch
}

// giveUp ends the attempt with an error, or waits when another try may help.
func (e *Engine) giveUp(ctx context.Context, t orchestrator.Task, err error) (step, error) {
	err = tellable(&t, err)
	if errors.Is(err, errMoved) || errors.Is(err, context.Canceled) {
		return step{}, err
	}
	f := fault.From(err)
	if f.Kind == fault.Internal { // an internal error is not the agent's: the step is repeated
		return step{}, err
	}
	tries, most := tries(&t)
	if !agentclient.Retryable(err) || tries >= patience {
		if next, moved, err := e.fallBack(ctx, &t, f); moved {
			return next, err
		}
	}
	if agentclient.Retryable(err) && tries < most {
		return e.postpone(ctx, t, max(jittered(e.backoff(tries)), min(f.RetryAfter, maxRetryAfter)), err)
	}
	why := errorOf(f)
	return e.transition(ctx, &t, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		e.closeAttempt(t, why)
		return e.failed(t, why)
	})
}

// tellable returns err as everybody may hear it: no reviewer sees the words of an agent that refuses or breaks off.
func tellable(t *orchestrator.Task, err error) error {
	if t.Guarded() {
		return agentclient.WithoutWords(err)
	}
	return err
}

// tries returns how often the agent was tried and the maximum. Work that the agent has accepted is not given up because of the network.
func tries(t *orchestrator.Task) (tries, most int) {
	a, reply := t.Open(), t.Unsent()
	switch {
	case reply != nil:
		return reply.Sends, maxSends
	case a == nil:
		return 0, maxSends
	case a.RemoteTaskID != "":
		return a.Sends, math.MaxInt
	case t.Parent != nil && t.Parent.Spare:
		return a.Sends, patience
	default:
		return a.Sends, maxSends
	}
}

func (e *Engine) backoff(sends int) time.Duration {
	return min(e.RetryDelay<<min(max(sends-1, 0), 10), maxBackoff)
}

// postpone stores that the task waits, and why, so that neither a rescan nor a restart shortens the wait.
func (e *Engine) postpone(ctx context.Context, t orchestrator.Task, wait time.Duration, why error) (step, error) {
	_, err := e.own(ctx, &t, always, func(t *orchestrator.Task) []orchestrator.Event {
		t.NextDue = e.now().Add(wait)
		f := errorOf(fault.From(why))
		if a := t.EditOpen(); a != nil {
			a.Error = f
			a.NotTaken = a.NotTaken || agentclient.NotTaken(why)
		}
		return logged(t, f.Message+"; trying again")
	})
	return step{wait: wait}, err
}

// progress returns the events for what the agent said, as far as the log has room. It leaves out the words while a gate may still hold back the work.
func progress(t *orchestrator.Task, said ...string) []orchestrator.Event {
	if t.Guarded() {
		said = slices.Clone(said)
		for i, text := range said {
			if text != strayWords {
				said[i] = "the agent reports progress; its words are held back until the gate opens"
			}
		}
	}
	return logged(t, said...)
}

// logged returns progress events with texts, as far as the log has room.
func logged(t *orchestrator.Task, texts ...string) []orchestrator.Event {
	var events []orchestrator.Event
	for _, text := range texts {
		switch at := t.LastEvent + uint64(len(events)); {
		case at == orchestrator.MaxEvents:
			text = fmt.Sprintf("the log has %d entries; further progress is not logged", at)
		case at > orchestrator.MaxEvents:
			return events
		}
		events = append(events, event(t, orchestrator.EventProgress, text))
	}
	return events
}

// settle stores how the agent ended.
func (e *Engine) settle(ctx context.Context, c *conversation) (step, error) {
	why := c.heard.failure()
	if why != nil && c.task.Guarded() { // no reviewer has seen the agent's words
		why.Message = "the agent ended without delivering; its words are held back, since a review stands between it and the caller"
	}
	if c.task.Guarded() {
		c.heard.artifacts = numbered(c.heard.artifacts)
	}
	note, err := e.leaveOut(ctx, &c.task, &c.heard)
	if err != nil {
		return step{}, err
	}
	return e.transition(ctx, &c.task, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		c.heard.name(t)
		e.keepTurns(t, &c.heard)
		said := progress(t, c.said...)
		e.closeAttempt(t, why)
		if c.heard.status != nil {
			t.StatusMessage = c.heard.status
		}
		t.Artifacts, t.Metadata = c.heard.artifacts, c.heard.about
		if why != nil {
			return append(said, e.failed(t, why)...)
		}
		delivered := event(t, orchestrator.EventDelivered, fmt.Sprintf("%s delivered; artifacts: %d%s", t.Agent, len(t.Artifacts), note))
		return append(append(said, delivered), e.after(t, orchestrator.PhaseExecution)...)
	})
}

// cancelRemote asks the agent to stop and returns a note about the result.
func (e *Engine) cancelRemote(ctx context.Context, t *orchestrator.Task) string {
	a := t.Open()
	if a == nil {
		return ""
	}
	if a.RemoteTaskID == "" {
		return "the agent was not told: it had not named its task yet"
	}
	ctx, cancel := context.WithTimeout(agentclient.WithExtensions(context.WithoutCancel(ctx), requested(t)), 5*time.Second)
	defer cancel()
	agent, err := e.agent(ctx, t.Tenant, t.Agent)
	if err == nil {
		var client agentclient.Client
		if client, _, err = e.Connect.Connect(agent.Name, agent.Card); err == nil {
			var remote *a2apb.Task
			if remote, err = client.Cancel(ctx, a.RemoteTaskID); err == nil {
				return stopped(remote.GetStatus().GetState())
			}
		}
	}
	return "the agent did not confirm: " + fault.From(tellable(t, err)).Message
}

// stopped describes the state that an agent answered to a request to stop. It may have ended just before.
func stopped(state a2apb.TaskState) string {
	if state == a2apb.TaskState_TASK_STATE_CANCELED {
		return "the agent stopped its task"
	}
	return "the agent was asked to stop; its task is in state " + state.String()
}
