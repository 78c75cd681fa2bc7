package engine

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

// How often and how long an agent that cannot be reached is tried.
const (
	maxSends      = 8                // of one attempt that the agent has not accepted
	maxBackoff    = time.Minute      // between two of these
	maxRetryAfter = 10 * time.Minute // an agent that asks for a longer wait is tried sooner
)

// handleFailure ends the attempt with an error, or waits when another try may help.
func (e *Engine) handleFailure(ctx context.Context, t orchestrator.Task, err error) (stepResult, error) {
	next, final, err := e.tryAgain(ctx, t, err)
	if final == nil {
		return next, err
	}
	return e.failAttempt(ctx, &t, final)
}

// tryAgain has the task wait for another try, or go to another agent, where that may help. Elsewhere it returns as final why the attempt has failed.
func (e *Engine) tryAgain(ctx context.Context, t orchestrator.Task, err error) (next stepResult, final *fault.Error, _ error) {
	err = withholdWords(&t, err)
	if errors.Is(err, errMoved) || errors.Is(err, context.Canceled) || isOurs(err) {
		return stepResult{}, nil, err
	}
	f := fault.From(err)
	tries, most := e.countSends(&t)
	if !agentclient.Retryable(err) || tries >= sendsBeforeFallback {
		if next, moved, err := e.fallBack(ctx, &t, f); moved {
			return next, nil, err
		}
	}
	if agentclient.Retryable(err) && tries < most {
		wait := max(pause.Jittered(e.backoff(tries)), min(f.RetryAfter, maxRetryAfter))
		if f.Reason == agentclient.ReasonDraftsTooLarge { // there is no room before the agent has ended other tasks
			wait = pause.Jittered(maxBackoff)
		}
		next, err = e.postpone(ctx, t, wait, err)
		return next, nil, err
	}
	return stepResult{}, f, nil
}

// failAttempt ends the attempt with an error; notes are for the log.
func (e *Engine) failAttempt(ctx context.Context, read *orchestrator.Task, f *fault.Error, notes ...string) (stepResult, error) {
	why := errorOf(f)
	return e.transition(ctx, read, sameAttempt, func(t *orchestrator.Task) []orchestrator.Event {
		e.closeAttempt(t, why)
		return append(notedEvents(t, notes...), e.fail(t, why)...)
	})
}

// refuse ends the attempt because the agent has said something that a task does not take. Unless the agent has ended its task, it is asked to stop:
// nobody would get the rest of its work.
func (e *Engine) refuse(ctx context.Context, c *conversation, err error) (stepResult, error) {
	f := fault.From(withholdWords(&c.task, err))
	c.remote.RecordIDs(&c.task)
	if c.remote.Ended() || c.remote.ID == "" {
		return e.failAttempt(ctx, &c.task, f)
	}
	note, _ := e.cancelRemote(ctx, &c.task)
	return e.failAttempt(ctx, &c.task, f, note)
}

// withholdWords returns err as everybody may hear it: no reviewer sees the words of an agent that refuses or breaks off.
func withholdWords(t *orchestrator.Task, err error) error {
	if t.Guarded() {
		return agentclient.WithoutWords(err)
	}
	return err
}

// countSends returns how often the agent was tried and the maximum. Work that the agent has accepted is not given up because of the network, unless the agent
// is gone and another can step in.
func (e *Engine) countSends(t *orchestrator.Task) (tries, most int) {
	a, reply := t.OpenAttempt(), t.PendingReply()
	spare := t.Parent != nil && t.Parent.Spare
	switch {
	case reply != nil:
		return reply.Sends, maxSends
	case a == nil:
		return 0, maxSends
	case isAccepted(a) && (!spare || e.keepsAgent(t)):
		return a.Sends, math.MaxInt
	case spare:
		return a.Sends, sendsBeforeFallback
	default:
		return a.Sends, maxSends
	}
}

func (e *Engine) backoff(sends int) time.Duration {
	return min(e.RetryDelay<<min(max(sends-1, 0), 10), maxBackoff)
}

// postpone stores that the task waits, and why, so that neither a rescan nor a restart shortens the wait.
func (e *Engine) postpone(ctx context.Context, read orchestrator.Task, wait time.Duration, why error) (stepResult, error) {
	_, err := e.updateOwned(ctx, &read, unconditionally, func(t *orchestrator.Task) []orchestrator.Event {
		t.NextDue = e.now().Add(wait)
		f := errorOf(fault.From(why))
		if a, was := t.EditOpenAttempt(), read.OpenAttempt(); a != nil && was != nil {
			a.Error, a.NotTaken = f, was.NotTaken
		}
		return notedEvents(t, f.Message+"; trying again")
	})
	return stepResult{wait: wait}, err
}
