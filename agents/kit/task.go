package kit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/agents/kit/board"
	"github.com/quorate/quorate/platform/fault"
)

// Task is one task to work on.
//
// What Progress, AddArtifact, an ArtifactWriter and Ask send after the end of the task is refused with a FailedPrecondition fault with the reason
// TASK_ENDED; what goes beyond its 1,000 updates or 8 MiB, with a ResourceExhausted fault, TOO_MANY_EVENTS or TASK_TOO_LARGE. When ctx has ended, they
// return its cause: what a handler completes while the agent stops, it delivers with context.WithoutCancel.
type Task struct {
	Message *a2a.Message // read-only
	Parts   []*a2a.Part  // the message's parts

	writers writers

	agent      *Agent
	job        *board.Job
	assignment assignment
}

// Text returns the message's text parts, separated by line breaks. Those of named inputs are among them.
func (t *Task) Text() string { return textOf(t.Parts) }

func textOf(parts []*a2a.Part) string {
	var texts []string
	for _, part := range parts {
		if text, ok := part.Content.(a2a.Text); ok {
			texts = append(texts, string(text))
		}
	}
	return strings.Join(texts, "\n")
}

// ContextID returns the id of the task's conversation. A message without one begins a new conversation.
func (t *Task) ContextID() string { return t.job.ContextID() }

// QuorateTaskID returns Quorate's id of the task, or "" if the message did not come through Quorate.
func (t *Task) QuorateTaskID() string { return t.assignment.TaskID }

// Skill returns the id of the skill that the caller asked Quorate for, or "" if it asked for none or the message did not come through Quorate.
func (t *Task) Skill() string { return t.assignment.Skill }

// Requirements returns the consultations that Quorate demands for the task.
func (t *Task) Requirements() []Requirement { return slices.Clone(t.assignment.Requirements) }

// Progress reports progress to the caller.
func (t *Task) Progress(ctx context.Context, text string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.job.Progress(printable(text))
}

// Ask sends a question to the caller and returns the message that answers it. The caller sees the task as INPUT_REQUIRED and replies with a message
// that has the task's id. While a review is mandatory before the task's end, Quorate does not show the caller what the agent asks, only that it does. A task
// that waits does not count toward MaxConcurrent. Further faults: InvalidArgument with the reason QUESTION_INVALID,
// FailedPrecondition with ALREADY_ASKING while another question is open, DeadlineExceeded with NO_REPLY after one hour.
func (t *Task) Ask(ctx context.Context, parts ...*a2a.Part) (*a2a.Message, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	t.writers.flush() // the caller may have to judge it
	t.agent.working.remove(t)
	defer t.agent.working.add(t)
	return t.job.Ask(ctx, asReceived(parts)...)
}

// AddArtifact delivers a result, in chunks if its text is long.
func (t *Task) AddArtifact(ctx context.Context, artifact Artifact) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.job.AddArtifact(artifact.a2a())
}

// work handles one message: a task for the handler, or a consultation for the reviewer.
func (a *Agent) work(ctx context.Context, job *board.Job) error {
	message := job.Request.Message
	said, err := readAssignment(message)
	if err != nil {
		return err
	}
	task := &Task{Message: message, Parts: message.Parts, agent: a, job: job, assignment: said}
	a.working.add(task)
	defer a.working.remove(task)
	ctx, span := a.tracer.Start(withCallerTrace(ctx, message), taskSpan, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("a2a.task.id", string(job.ID())),
		attribute.String("quorate.task.id", said.TaskID),
	))
	defer span.End()
	err = a.dispatch(ctx, task)
	if err != nil {
		span.SetStatus(codes.Error, fault.ReasonOf(err))
	}
	if err != nil && said.TaskID != "" {
		err = fmt.Errorf("task %s of Quorate: %w", said.TaskID, err) // for the log: whoever reads it does not know the agent's own id
	}
	return err
}

func (a *Agent) dispatch(ctx context.Context, t *Task) error {
	if t.assignment.ConsultationID != "" {
		return a.answer(ctx, t)
	}
	if a.config.Handler == nil {
		return fault.New(fault.FailedPrecondition, "CONSULTATIONS_ONLY", "agent %s answers consultations that Quorate carries, nothing else", a.config.Name)
	}
	return a.handle(ctx, t)
}

// handle calls the handler, whose panics become errors: the log then says of which task.
func (a *Agent) handle(ctx context.Context, t *Task) (err error) {
	defer func() {
		if failed := t.writers.close(); err == nil {
			err = failed
		}
	}()
	defer asError(&err)
	return a.config.Handler(ctx, t)
}

// activeTasks holds the tasks in progress.
type activeTasks struct {
	mu    sync.Mutex
	tasks []*Task   // guarded by mu; oldest first
	since time.Time // guarded by mu; when tasks last began or ceased to be empty
}

func (w *activeTasks) add(t *Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.tasks, t) { // another Ask of this task has ended
		return
	}
	if len(w.tasks) == 0 {
		w.since = time.Now()
	}
	w.tasks = append(w.tasks, t)
}

func (w *activeTasks) remove(t *Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.tasks, t); i >= 0 {
		w.tasks = slices.Delete(w.tasks, i, i+1)
		if len(w.tasks) == 0 {
			w.since = time.Now()
		}
	}
}

// load returns the number of tasks in progress, and Quorate's id of the oldest.
func (w *activeTasks) load() (count int, oldest string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.tasks) > 0 {
		oldest = w.tasks[0].QuorateTaskID()
	}
	return len(w.tasks), oldest
}

// activity reports whether there are tasks in progress, and since when that is so; the time is zero if there never was one.
func (w *activeTasks) activity() (busy bool, since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.tasks) > 0, w.since
}
