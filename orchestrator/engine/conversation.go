package engine

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/agentmessage"
	"github.com/quorate/quorate/orchestrator/agenttask"
)

// writeDelay bounds how long what an agent says is kept in memory only, unless the store is away; a task that ends sooner is written once. After a crash in
// that time the message is sent again under the same message id, so an agent that deduplicates does no work twice.
const writeDelay = 50 * time.Millisecond

// saveTimeout bounds a last call to the store or the agent once the exchange is over, when its context may have ended.
const saveTimeout = 5 * time.Second

// conversation is one attempt's exchange with its agent.
type conversation struct {
	engine      *Engine
	client      agentclient.Client
	agent       orchestrator.Key // with which it is
	stream      bool
	announces   bool                    // the agent sends push notifications
	cancel      context.CancelCauseFunc // ends the exchange when it can no longer be stored
	onReached   func()                  // called when the agent answers anything
	reached     bool                    // it has; set by onReached
	notTaken    bool                    // it certainly did not accept the message; set by exchange
	first       lookedUp                // for the message that begins the agent's task
	leaveStream context.CancelFunc      // ends a stream that the agent leaves open after the end
	broken      *brokenAnswer           // nil: the agent has not ended its answer with an error
	pollNoted   bool                    // the log says why the agent is asked for its task

	mu              latch
	task            orchestrator.Task // guarded by mu; as last written
	remote          agenttask.Task    // guarded by mu
	held            int               // guarded by mu; bytes that count in the engine's holdings
	unsavedProgress []remark          // guarded by mu; progress that is not in the log yet
	unsavedBytes    int               // guarded by mu; of unsavedProgress
	lastSaid        remark            // guarded by mu; what was noted last of the agent's words
	lastWords       agenttask.Words   // guarded by mu; the words of lastSaid
	saveTimer       *time.Timer       // guarded by mu; not nil while something is unwritten
	saveRetry       time.Duration     // guarded by mu; the last pause after a write that failed; 0: it did not
	closeTimer      *time.Timer       // guarded by mu; ends a stream that the agent does not end
	sent            time.Time         // guarded by mu; when the reply was sent, or found to have been
	recheckTimer    *time.Timer       // guarded by mu; until the next check for what others have written to the task
	refused         bool              // guarded by mu; the last thing that the agent said is something that a task does not take
	finished        bool              // guarded by mu; run has ended
}

// streamCloseTime is how long an agent that has ended its task may take to end its stream. A stream that ends by itself leaves its connection usable.
const streamCloseTime = 500 * time.Millisecond

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
	c.watchStore(ctx, 0)
	c.mu.Unlock()
	err := c.exchange(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = true
	c.recheckTimer.Stop()
	if c.saveTimer != nil {
		c.saveTimer.Stop()
	}
	if c.closeTimer != nil {
		c.closeTimer.Stop()
	}
	switch {
	case c.hasResult():
		return nil // storeResult stores it
	case c.remote.Ended(), c.saveTimer == nil && !c.remote.HasNewQuestion(&c.task), ctx.Err() == nil && err != nil && !agentclient.Retryable(err):
		return err // everything is stored, or what was heard is refused
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return errors.Join(err, c.save(ctx))
}

// hasResult reports whether the agent has ended its task, with a result that can be stored. The caller holds mu, or run has ended.
func (c *conversation) hasResult() bool { return c.remote.Ended() && !c.refused }

// exchange is run without what has to be stored at its end.
func (c *conversation) exchange(ctx context.Context) error {
	if c.stream {
		ctx, c.leaveStream = context.WithCancel(ctx)
		defer c.leaveStream()
	}
	t := c.current()
	if remote := t.OpenAttempt().RemoteTaskID; remote != "" {
		c.remote.ID = remote
		return c.resume(ctx, remote)
	}
	m := agentmessage.New(ctx, &t)
	m.Parts, m.ContextId, m.ReferenceTaskIds = c.first.parts, c.first.contextID, c.first.references
	if err := c.client.Send(ctx, m, c.stream, c.handleResponses(ctx)); err != nil && !c.survives(ctx, err) {
		// An error of any other call does not say that. It does not wait for mu: a save that holds it may wait for this exchange to end.
		c.notTaken = !c.reached && agentclient.NotTaken(err)
		return err
	}
	if err := c.takeStrayFailure(ctx); err != nil {
		return err
	}
	return c.poll(ctx)
}

// current returns the task as last written.
func (c *conversation) current() orchestrator.Task {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.task
}

// handleResponses returns the handler for responses. What must not be lost is stored shortly after, together with what follows closely; the end is
// stored at once, with the result.
func (c *conversation) handleResponses(ctx context.Context) agentclient.Each {
	return func(r *a2apb.StreamResponse) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.onReached()
		strayed := c.remote.Strayed()
		news, err := c.remote.Apply(r)
		if err == nil {
			err = c.remote.CheckQuestion(&c.task)
		}
		if c.refused = err != nil; c.refused {
			return err
		}
		if c.remote.Ended() {
			if c.stream && c.closeTimer == nil {
				c.closeTimer = time.AfterFunc(streamCloseTime, c.leaveStream)
			}
			return nil
		}
		if carriesArtifacts(r) {
			c.engine.onlookers.notify(c.task.Key())
		}
		if news {
			c.noteProgress(strayed)
			c.scheduleSave(ctx)
		}
		return c.countHolding()
	}
}
