package board

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// Job is one message to work on and the task that its results go to.
type Job struct {
	Request *a2a.SendMessageRequest // never changed

	board *Board
	entry *entry
	runs  atomic.Bool // whether it has one of the board's slots

	entering sync.Mutex // held while it waits for one, which is bounded by its context
}

// ID returns the id of the task.
func (j *Job) ID() a2a.TaskID { return j.entry.id }

// ContextID returns the id of the context that the task is in: the message's, or a new one when the message has none.
func (j *Job) ContextID() string { return j.entry.snapshot().task.ContextID }

// Progress tells everyone who watches what is going on. After the end of the task it is a FailedPrecondition fault with
// the reason TASK_ENDED, after MaxEvents a ResourceExhausted fault with the reason TOO_MANY_EVENTS.
func (j *Job) Progress(text string) error {
	return j.entry.update(a2a.TaskStateWorking, text)
}

// AddArtifact delivers one artifact. Beside the faults of Progress it returns a ResourceExhausted fault with the reason
// TASK_TOO_LARGE when the task would exceed MaxBytes.
func (j *Job) AddArtifact(artifact *a2a.Artifact) error {
	return j.entry.deliver(artifact)
}

// run waits for its turn, does the job and ends the task.
func (b *Board) run(ctx context.Context, job *Job) {
	defer b.retire(job.entry)
	defer job.entry.cancel(nil)
	defer job.leave()
	if job.enter(ctx) != nil {
		return // canceled, or the board stops
	}
	if err := job.entry.update(a2a.TaskStateWorking, ""); err != nil {
		return // canceled while it waited
	}
	b.finish(ctx, job, b.work(ctx, job))
}

func (b *Board) work(ctx context.Context, job *Job) (err error) {
	defer func() {
		if v := recover(); v != nil {
			b.options.Logger.ErrorContext(ctx, "job panicked", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return b.options.Work(ctx, job)
}

// finish gives the task its end, unless the board stops: then whoever sent the message sends it again.
func (b *Board) finish(ctx context.Context, job *Job, err error) {
	if err == nil {
		job.entry.complete()
		return
	}
	if errors.Is(context.Cause(ctx), errStopping) {
		return
	}
	public := fault.From(err)
	text := public.Reason + ": " + public.Message
	if public.Kind == fault.Internal {
		b.options.Logger.ErrorContext(ctx, "job failed", slog.String("task_id", string(job.entry.id)), slog.Any("error", err))
		text = "INTERNAL: the agent met an internal error; its log tells more"
	}
	_ = job.entry.update(a2a.TaskStateFailed, text) // it was canceled meanwhile: that is its end
}
