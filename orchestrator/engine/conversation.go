package engine

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
)

// writeDelay bounds how long what an agent says is kept in memory only; a task that ends sooner is written once. After a crash in that time the
// message is sent again under the same message id, so an agent that deduplicates does no work twice.
const writeDelay = 50 * time.Millisecond

// conversation is one attempt's exchange with its agent.
type conversation struct {
	engine    *Engine
	client    agentclient.Client
	stream    bool
	announces bool                    // the agent sends push notifications
	cancel    context.CancelCauseFunc // ends the exchange when it can no longer be stored
	reached   func()                  // called when the agent answers anything
	context   string                  // the agent's own id of the context, as sent
	sent      time.Time               // when the reply was sent
	leave     context.CancelFunc      // ends a stream that the agent leaves open after the end

	mu      latch
	task    orchestrator.Task // guarded by mu; as last written
	heard   heard             // guarded by mu
	said    []string          // guarded by mu; progress that is not in the log yet
	timer   *time.Timer       // guarded by mu; not nil while something is unwritten
	parting *time.Timer       // guarded by mu; ends a stream that the agent does not end
	round   *time.Timer       // guarded by mu; until the next check for what others have written to the task
	done    bool              // guarded by mu; the agent has ended its task, with a result that can be stored
	over    bool              // guarded by mu; run has ended
}

// partingTime is how long an agent that has ended its task may take to end its stream. A stream that ends by itself leaves its connection usable.
const partingTime = 500 * time.Millisecond

// latch is a lock that is held while the store writes. It is a channel because synctest's fake clock advances while goroutines wait for a channel,
// but not for a mutex.
type latch chan struct{}

func newLatch() latch { return make(latch, 1) }

func (l latch) Lock()   { l <- struct{}{} }
func (l latch) Unlock() { <-l }

// run sends the message, or resumes the agent's task when that is known, and returns when the agent has ended it; what becomes of the connection
// after that does not matter. When run is interrupted, or loses the agent, it stores what the agent has said so far, so that the agent's task can be
// found again, or canceled.
func (c *conversation) run(ctx context.Context) error {
	c.mu.Lock()
	c.heed(ctx)
	c.mu.Unlock()
	err := c.exchange(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	c.round.Stop()
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.parting != nil {
		c.parting.Stop()
	}
	switch {
	case c.done:
		return nil // settle stores it
	case c.heard.ended(), c.timer == nil && !c.heard.asksAnew(&c.task), ctx.Err() == nil && err != nil && !agentclient.Retryable(err):
		return err // everything is stored, or what was heard is refused
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return errors.Join(err, c.save(ctx))
}

const saveTimeout = 5 * time.Second

func (c *conversation) exchange(ctx context.Context) error {
	if c.stream {
		ctx, c.leave = context.WithCancel(ctx)
		defer c.leave()
	}
	if remote := c.remote(); remote != "" {
		c.heard.remote = remote
		return c.resume(ctx, remote)
	}
	m := outgoing(ctx, &c.task)
	var err error
	if m.Parts, err = c.engine.partsFor(ctx, &c.task); err != nil {
		return err
	}
	if m.ContextId, err = c.engine.agentContext(ctx, &c.task); err != nil {
		return err
	}
	c.context = m.GetContextId()
	if m.ReferenceTaskIds, err = c.engine.agentTasks(ctx, &c.task, m.GetReferenceTaskIds()); err != nil {
		return err
	}
	if err := c.client.Send(ctx, m, c.stream, c.on(ctx)); err != nil {
		return err
	}
	return c.poll(ctx)
}

func (c *conversation) remote() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.task.Open().RemoteTaskID
}

// resume continues a task that an earlier process began. An agent that forgot it gets the message again, under the same message id.
func (c *conversation) resume(ctx context.Context, remote string) error {
	var history int32
	if c.unsent() != nil {
		history = replyHistory
	}
	t, err := c.ask(ctx, remote, history)
	if err != nil {
		return c.forgotten(ctx, err)
	}
	c.expect(t)
	if err := c.on(ctx)(snapshot(t)); err != nil {
		return err
	}
	if reply := c.unsent(); reply != nil && !arrived(t, reply) {
		if err := c.reply(ctx, reply); err != nil {
			return err
		}
	} else if c.stream && !c.rests() {
		// A stream makes polling unnecessary. An agent that refuses one is polled.
		if err := c.follow(ctx, remote); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return c.poll(ctx)
}

// follow receives the stream of a task that an earlier exchange began. A2A 1.0 begins such a stream with the whole task, 0.3 does not; then what was
// delivered since the task was last read is missing, and the task is read once more at the end.
func (c *conversation) follow(ctx context.Context, remote string) error {
	begun, whole, on := false, false, c.on(ctx)
	err := c.client.Subscribe(ctx, remote, func(r *a2apb.StreamResponse) error {
		whole, begun = whole || !begun && r.GetTask() != nil, true
		return on(r)
	})
	c.mu.Lock()
	ended := c.heard.ended()
	c.mu.Unlock()
	if whole || !ended {
		return err
	}
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	t, failed := c.ask(look, remote, 0)
	if failed != nil { // then there is no more than what was heard
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	failed = errors.Join(c.heard.complete(t.GetArtifacts()), c.heard.describe(c.heard.about, t.GetMetadata()))
	c.done = failed == nil
	return errors.Join(failed, err)
}

// replyHistory is how many of the latest messages of an agent's task a reply is looked for among, to learn whether it arrived.
const replyHistory = 20

// ask returns the agent's task as it is now, with some of the latest messages of its history.
func (c *conversation) ask(ctx context.Context, remote string, history int32) (*a2apb.Task, error) {
	t, err := c.client.Task(ctx, remote, history)
	if id := t.GetId(); err == nil && id != "" && id != remote {
		return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent was asked for its task %q and answered with another", remote)
	}
	if err == nil && t.GetStatus() == nil { // to go on asking would take until the deadline
		return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "the agent was asked for its task %q and answered with one that has no status", remote)
	}
	return t, err
}

func snapshot(t *a2apb.Task) *a2apb.StreamResponse {
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: t}}
}

// forgotten handles an agent that no longer knows the task that it accepted: the next step starts the attempt anew by sending the message again, at
// once the first time and after a while from then on. Any other error, and this one from an agent that keeps forgetting, is returned.
func (c *conversation) forgotten(ctx context.Context, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if fault.ReasonOf(err) != agentclient.ReasonTaskNotFound || c.task.Open().Sends >= maxSends {
		return err
	}
	if c.task.AtMostOnce {
		return fault.New(fault.FailedPrecondition, reasonUnknown,
			"%s no longer knows the task that it accepted, and its work must not be done twice: find out from the agent what became of it, then submit a new task if needed", c.task.Agent)
	}
	if err := c.write(ctx, func(t *orchestrator.Task) []orchestrator.Event {
		a := t.EditOpen()
		a.RemoteTaskID, a.RemoteContext, a.Question = "", "", ""
		t.Artifacts, t.Metadata = nil, nil
		if a.Sends > 1 { // it has forgotten the task before
			t.NextDue = c.engine.now().Add(jittered(c.engine.backoff(a.Sends - 1)))
		}
		if lost := t.EditUnsent(); lost != nil {
			lost.Done = true
		}
		return []orchestrator.Event{event(t, orchestrator.EventAttempt, t.Agent+" no longer knows its task; it is sent again under the same message id")}
	}); err != nil {
		return err
	}
	c.over = true // nothing that was heard of the lost task is stored
	return errMoved
}

// rests reports whether the agent has ended its task or waits for its caller.
func (c *conversation) rests() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard.ended() || c.heard.waits()
}

// poll reads the task until it has ended or waits for its caller. It is for agents that do not stream, or whose stream ended early.
func (c *conversation) poll(ctx context.Context) error {
	wait := 50 * time.Millisecond
	var announced <-chan struct{}
	for first := true; !c.rests(); first = false {
		c.mu.Lock()
		remote, agent := c.heard.remote, c.task.Agent
		c.mu.Unlock()
		if remote == "" {
			return fault.New(fault.FailedPrecondition, agentclient.ReasonAnswerInvalid, "agent %q ended its answer without a task or a message", agent)
		}
		if err := untilNews(ctx, wait, announced); err != nil {
			return err
		}
		if first {
			var stop func()
			announced, stop = c.announcements(ctx, remote)
			defer stop()
		}
		wait = min(wait*3/2, pollEvery)
		t, err := c.ask(ctx, remote, 0)
		if err != nil {
			return c.forgotten(ctx, err)
		}
		if err := c.on(ctx)(snapshot(t)); err != nil {
			return err
		}
		c.lose(ctx)
	}
	return nil
}

// strayWords is logged when an agent's response is about another task.
const strayWords = "the agent spoke of another task than the one it named; that is ignored"

// on returns the handler for responses. What must not be lost is stored shortly after, together with what follows closely; the end is stored at once,
// with the result.
func (c *conversation) on(ctx context.Context) agentclient.Each {
	return func(r *a2apb.StreamResponse) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reached()
		strayed := c.heard.strayed
		news, err := c.heard.take(r)
		if err == nil {
			err = c.checkQuestion()
		}
		if c.done = err == nil && c.heard.ended(); c.done && c.stream && c.parting == nil {
			c.parting = time.AfterFunc(partingTime, c.leave)
		}
		if err != nil || !news || c.done {
			return err
		}
		if c.heard.strayed && !strayed {
			c.said = append(c.said, strayWords)
		} else if text := c.heard.progress(); text != "" && !c.heard.askedBefore(&c.task) && (len(c.said) == 0 || c.said[len(c.said)-1] != text) {
			c.said = append(c.said, text)
		}
		c.soon(ctx)
		return nil
	}
}

// soon schedules storing, a little later so as to include what follows closely. The caller holds mu.
func (c *conversation) soon(ctx context.Context) {
	if c.timer == nil {
		c.timer = time.AfterFunc(writeDelay, func() { c.flush(ctx) })
	}
}

// flush stores what the agent has said since the last time.
func (c *conversation) flush(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil || c.over || c.heard.ended() {
		return // run stores the rest
	}
	c.timer = nil
	if err := c.save(ctx); err != nil {
		c.cancel(err)
	}
}

// save stores everything that is not stored yet. The caller holds mu.
func (c *conversation) save(ctx context.Context) error {
	if c.onlyWords() && c.task.LastEvent > orchestrator.MaxEvents { // the log has no room for it
		c.said = nil
		return nil
	}
	said := c.said
	err := c.write(ctx, func(t *orchestrator.Task) []orchestrator.Event {
		c.heard.name(t)
		before := t.State
		t.State = c.heard.mirrored()
		c.engine.keepTurns(t, &c.heard)
		events := progress(t, said...)
		if t.State != before { // watchers must learn of it even when the agent says nothing
			events = append(events, event(t, orchestrator.EventState, "the agent's task is in state "+c.heard.state.String()))
		}
		return events
	})
	if err == nil {
		c.said = nil
	}
	return err
}

// onlyWords reports whether nothing but progress is unstored. The caller holds mu.
func (c *conversation) onlyWords() bool {
	h, a := &c.heard, c.task.Open()
	known := (h.remote == "" || h.remote == a.RemoteTaskID) && (h.context == "" || h.context == a.RemoteContext)
	return known && h.mirrored() == c.task.State && !h.asksAnew(&c.task) && (!h.delivered || c.task.Unsent() == nil)
}

// write updates the task if it is still in this attempt, and refreshes the conversation's copy of it. The caller holds mu.
func (c *conversation) write(ctx context.Context, change func(*orchestrator.Task) []orchestrator.Event) error {
	t, err := c.engine.own(ctx, &c.task, underWay, change)
	if err != nil {
		return err
	}
	c.task = t
	return nil
}

// underWay reports whether the task is still in the attempt in which it was read, even if it is to be canceled.
func underWay(read, now *orchestrator.Task) bool {
	return now.Phase == orchestrator.PhaseExecution && len(now.Attempts) == len(read.Attempts)
}
