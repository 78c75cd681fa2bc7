package engine

import (
	"context"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// conversation is one attempt's exchange with its agent.
type conversation struct {
	engine *Engine
	client agentclient.Client
	stream bool
	task   orchestrator.Task // as last written
	heard  heard
}

// run sends the message, or takes up the agent's task when it is known, and returns when the agent has ended it.
func (c *conversation) run(ctx context.Context) error {
	attempt := c.task.Open()
	if attempt.RemoteTaskID == "" {
		m, err := outgoing(ctx, &c.task)
		if err != nil {
			return err
		}
		if err := c.client.Send(ctx, m, c.stream, c.on(ctx)); err != nil {
			return err
		}
	} else if err := c.resume(ctx, attempt.RemoteTaskID); err != nil {
		return err
	}
	return c.poll(ctx)
}

// resume takes up a task that an earlier process began. An agent that forgot it gets the message again, under the same message id.
func (c *conversation) resume(ctx context.Context, remote string) error {
	t, err := c.client.Task(ctx, remote)
	if fault.ReasonOf(err) == agentclient.ReasonTaskNotFound {
		if err := c.forget(ctx); err != nil {
			return err
		}
		return c.run(ctx)
	}
	if err != nil {
		return err
	}
	if err := c.on(ctx)(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: t}}); err != nil {
		return err
	}
	if c.heard.ended() || !c.stream {
		return nil
	}
	// A stream spares polling. An agent that will not give one is polled.
	if err := c.client.Subscribe(ctx, remote, c.on(ctx)); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// forget takes the agent's task id off the attempt.
func (c *conversation) forget(ctx context.Context) error {
	return c.write(ctx, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if a := t.Open(); a != nil {
			a.RemoteTaskID = ""
		}
		return []orchestrator.Event{event(t, orchestrator.EventAttempt, t.Agent+" no longer knows its task; it is sent again under the same message id")}, nil
	})
}

// poll asks for the task until it has ended, for agents that do not stream or whose stream ended early.
func (c *conversation) poll(ctx context.Context) error {
	wait := 50 * time.Millisecond
	for !c.heard.ended() {
		if c.heard.remote == "" {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "agent %q ended its answer without a task or a message", c.task.Agent)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		wait = min(wait*3/2, pollEvery)
		t, err := c.client.Task(ctx, c.heard.remote)
		if err != nil {
			return err
		}
		if err := c.on(ctx)(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: t}}); err != nil {
			return err
		}
	}
	return nil
}

// on takes in one response and stores what must not be lost: the agent's id of the task, and its state.
func (c *conversation) on(ctx context.Context) agentclient.Each {
	return func(r *a2apb.StreamResponse) error {
		news, err := c.heard.take(r)
		if err != nil {
			return err
		}
		if !news || c.heard.ended() {
			return nil // the end is stored as one write with what was delivered
		}
		return c.write(ctx, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			if a := t.Open(); a != nil {
				a.RemoteTaskID = c.heard.remote
			}
			if orchestrator.Terminal(t.State) || t.Phase != orchestrator.PhaseExecution {
				return nil, errMoved
			}
			t.State = c.heard.mirrored()
			text := c.heard.progress()
			if text != "" && t.Guarded() {
				text = "the agent reports progress; its words are held back until the gate opens"
			}
			if text == "" || t.LastEvent > orchestrator.MaxEvents {
				return nil, nil
			}
			return progress(t, text)
		})
	}
}

// write updates the task and keeps the conversation's copy of it.
func (c *conversation) write(ctx context.Context, change func(*orchestrator.Task) ([]orchestrator.Event, error)) error {
	t, err := c.engine.update(ctx, keyOf(&c.task), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		if t.CancelAsked && !c.task.CancelAsked {
			return nil, errMoved
		}
		t.Attempts = append([]orchestrator.Attempt(nil), t.Attempts...)
		return change(t)
	})
	if err != nil {
		return err
	}
	c.task = t
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
