package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/pause"
)

const (
	announcedPoll = 15 * time.Second      // at least, between two polls of a task whose agent has promised push notifications, unless one comes
	announceTime  = 10 * time.Second      // for the agent to promise them
	breath        = 50 * time.Millisecond // minimum time between two polls, however many notifications come
)

// Announced is called when somebody who knows the receiver URL of the attempt has sent a push notification to it. Its content is not trusted: the
// engine asks the agent for the task. It has no effect if the task is no longer in that attempt.
func (e *Engine) Announced(ctx context.Context, k orchestrator.Key, attempt int) error {
	t, err := e.Store.Task(ctx, k)
	if err != nil {
		return err
	}
	if a := t.OpenAttempt(); a == nil || a.Number != attempt {
		return nil
	}
	if !e.holds(&t) {
		return e.handOver(ctx, &t)
	}
	e.watchers.notify(k) // in case a conversation polls the agent
	e.Wake(k)            // in case the task waits for its caller
	return nil
}

// announcements asks an agent that does not stream for push notifications about its task. It returns a channel that holds a token when the task may
// have changed, or nil when the agent sends none, and a function to end it.
func (c *conversation) announcements(ctx context.Context, remote string) (<-chan struct{}, func()) {
	e, t := c.engine, c.current()
	client, can := c.client.(agentclient.Announcer)
	if !c.announces || !can || e.Receiver == nil {
		return nil, func() {}
	}
	receiver := e.Receiver(t.Key(), t.OpenAttempt().Number)
	if receiver == "" {
		return nil, func() {}
	}
	changed, stop := e.watchers.subscribe(t.Key())
	ctx, cancel := context.WithTimeout(ctx, announceTime)
	defer cancel()
	if err := client.Announce(ctx, remote, receiver); err != nil {
		e.Logger.InfoContext(ctx, "an agent does not announce what becomes of its task; it is asked instead", taskAttr(&t), errAttr(err))
		stop()
		return nil, func() {}
	}
	return changed, stop
}

// waitForNews waits for a notification, or until it is time to poll without one.
func waitForNews(ctx context.Context, wait time.Duration, announced <-chan struct{}) error {
	if announced == nil {
		return pause.For(ctx, wait)
	}
	timer := time.NewTimer(max(wait, announcedPoll))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	case <-announced:
		return pause.For(ctx, breath)
	}
}
