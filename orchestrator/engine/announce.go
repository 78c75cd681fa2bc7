package engine

import (
	"context"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/pause"
)

const (
	announcedPoll = 15 * time.Second      // between two looks at a task whose agent has promised to announce what becomes of it
	announceTime  = 10 * time.Second      // for the agent to promise it
	breath        = 50 * time.Millisecond // between two looks at least, however many announcements come
)

// Announced has a task's agent asked what became of the task, since somebody who knows the receiver of the attempt says that something did. What was
// announced is not looked at: the agent is asked. It is of no effect when the task is no longer in that attempt.
func (e *Engine) Announced(ctx context.Context, k orchestrator.Key, attempt int) error {
	t, err := e.Store.Task(ctx, k)
	if err != nil {
		return err
	}
	if a := t.Open(); a == nil || a.Number != attempt {
		return nil
	}
	if _, held := e.Leases.Epoch(t.Shard); !held {
		e.handOver(ctx, &t)
		return nil
	}
	e.notify(k) // a conversation that polls
	e.Wake(k)   // or a task that waits for its caller
	return nil
}

// announcements has the agent asked to announce what becomes of its task, if it does that and does not stream. It returns what holds a token when the task
// may have changed, nil when nothing is announced, and what ends that.
func (c *conversation) announcements(ctx context.Context, remote string) (<-chan struct{}, func()) {
	e, t := c.engine, c.current()
	client, can := c.client.(agentclient.Announcer)
	if !c.announces || !can || e.Receiver == nil {
		return nil, func() {}
	}
	receiver := e.Receiver(keyOf(&t), t.Open().Number)
	if receiver == "" {
		return nil, func() {}
	}
	changed, stop := e.subscribe(keyOf(&t))
	ctx, cancel := context.WithTimeout(ctx, announceTime)
	defer cancel()
	if err := client.Announce(ctx, remote, receiver); err != nil {
		e.Logger.InfoContext(ctx, "an agent does not announce what becomes of its task; it is asked instead", taskAttr(&t), errAttr(err))
		stop()
		return nil, func() {}
	}
	return changed, stop
}

// untilNews waits for an announcement, or until it is time to ask the agent without one.
func untilNews(ctx context.Context, wait time.Duration, announced <-chan struct{}) error {
	if announced == nil {
		return pause.For(ctx, wait)
	}
	timer := time.NewTimer(announcedPoll)
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
