// Package echo is a small agent that echoes the text of a message. Benchmarks and tests choose its behaviour by the text:
//
//	sleep 2s TEXT   reports progress, and answers TEXT after two seconds (at most ten minutes)
//	fail TEXT       fails with TEXT
//	hang            runs until it is canceled
//
// It counts how often it has executed each message, so that tests can see whether work was done twice.
package echo

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/fault"
)

// Name is the agent's name.
const Name = "echo"

const (
	maxSleep    = 10 * time.Minute
	maxMessages = 1_000_000 // counted; later ones are not
	progress    = 500 * time.Millisecond
)

// Echo is the agent's behaviour and its log of executions. It is safe for concurrent use.
type Echo struct {
	mu    sync.Mutex
	count map[string]int // guarded by mu; by message id
}

// New returns an Echo that has executed nothing.
func New() *Echo { return &Echo{count: make(map[string]int)} }

// Config returns the agent's configuration. The caller adds the listener and the settings for joining Quorate.
func (e *Echo) Config() kit.Config {
	return kit.Config{
		Name:        Name,
		Description: "Answers the text it is given.",
		Version:     "0.1.0",
		Skills: []kit.Skill{{
			ID: "echo", Name: "Echo", Description: "Answers the text back as an artifact.",
			Tags: []string{"test"}, Examples: []string{"hello", "sleep 2s hello", "fail on purpose", "hang"},
		}},
		Handler: e.handle,
	}
}

// Executions returns how often each message was executed, by message id.
func (e *Echo) Executions() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.count)
}

func (e *Echo) record(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.count[id]; known || len(e.count) < maxMessages {
		e.count[id]++
	}
}

func (e *Echo) handle(ctx context.Context, t *kit.Task) error {
	e.record(t.Message.ID)
	text := t.Text()
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "fail":
		return fault.New(fault.FailedPrecondition, "ECHO_FAILED", "asked to fail: %s", rest)
	case "hang":
		<-ctx.Done()
		return context.Cause(ctx)
	case "sleep":
		duration, remainder, _ := strings.Cut(rest, " ")
		d, err := time.ParseDuration(duration)
		if err != nil || d < 0 || d > maxSleep {
			return fault.Invalid("message", "ECHO_SLEEP_INVALID", "%q is not a duration between 0s and %s", duration, maxSleep)
		}
		if err := sleep(ctx, t, d); err != nil {
			return err
		}
		text = remainder
	}
	return t.AddArtifact(ctx, kit.Artifact{Name: "echo", MediaType: "text/plain", Text: text})
}

func sleep(ctx context.Context, t *kit.Task, d time.Duration) error {
	if err := t.Progress(ctx, "sleeping "+d.String()); err != nil {
		return err
	}
	ticker := time.NewTicker(progress)
	defer ticker.Stop()
	end := time.After(d)
	for started := time.Now(); ; {
		select {
		case <-end:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
			if left := d - time.Since(started); left > 0 && d <= time.Minute { // a long sleep would use up the task's events
				if err := t.Progress(ctx, left.Round(progress).String()+" left"); err != nil {
					return err
				}
			}
		}
	}
}
