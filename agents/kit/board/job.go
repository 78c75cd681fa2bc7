package board

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// Job is a message to work on, and the task for its results.
type Job struct {
	Request *a2a.SendMessageRequest // never changed

	board *Board
	entry *entry
	runs  atomic.Bool // whether the job has one of the board's slots

	entering sync.Mutex // held while the job waits for a slot, at most until its context ends
}

// ID returns the id of the task.
func (j *Job) ID() a2a.TaskID { return j.entry.id }

// ContextID returns the id of the task's context: that of the message, or a new one if the message has none.
func (j *Job) ContextID() string { return j.entry.snapshot().task.ContextID }

// Progress reports progress to all watchers. After the end of the task it returns a FailedPrecondition fault with the
// reason TASK_ENDED, and after MaxEvents a ResourceExhausted fault with the reason TOO_MANY_EVENTS.
func (j *Job) Progress(text string) error {
	return j.entry.update(a2a.TaskStateWorking, text)
}

// AddArtifact delivers one artifact. Besides the faults of Progress, it returns a ResourceExhausted fault with the reason
// TASK_TOO_LARGE if the task would exceed MaxBytes.
func (j *Job) AddArtifact(artifact *a2a.Artifact) error {
	return j.entry.deliver(artifact, true)
}

// AddChunk delivers the first parts of an artifact or, if the task has one with its id, more of them; last says that there will be no more. The faults are
// those of AddArtifact.
func (j *Job) AddChunk(chunk *a2a.Artifact, last bool) error {
	return j.entry.deliver(chunk, last)
}

// run waits for a slot, does the job and ends the task.
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
	err := errGone
	defer func() { b.finish(ctx, job, err) }() // also when work does not return
	err = b.work(ctx, job)
}

var errGone = errors.New("the handler ended its goroutine instead of returning, as runtime.Goexit does, and FailNow of a test")

func (b *Board) work(ctx context.Context, job *Job) (err error) {
	defer func() {
		if v := recover(); v != nil {
			b.options.Logger.ErrorContext(ctx, "job panicked", slog.String("task_id", string(job.entry.id)), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return b.options.Work(ctx, job)
}

// finish ends the task, unless the board is stopping: then the sender has to send the message again.
func (b *Board) finish(ctx context.Context, job *Job, err error) {
	if err == nil {
		job.entry.complete()
		return
	}
	if errors.Is(context.Cause(ctx), errStopping) {
		return
	}
	public := fault.From(err)
	level, text := slog.LevelInfo, strings.ToValidUTF8(public.Reason+": "+public.Message, "\uFFFD")
	if public.Kind == fault.Internal {
		level, text = slog.LevelError, "INTERNAL: the agent met an internal error; its log tells more"
	}
	if canceled := job.entry.update(a2a.TaskStateFailed, text) != nil; canceled && public.Kind != fault.Internal {
		return
	}
	b.options.Logger.Log(ctx, level, "job failed", slog.String("task_id", string(job.entry.id)), slog.String("reason", public.Reason), slog.Any("error", err))
}
