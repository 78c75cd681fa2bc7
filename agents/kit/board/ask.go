package board

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// MaxWait is how long a job waits for the reply to a question at most.
const MaxWait = time.Hour

// Ask sends a question to the sender of the task, which becomes INPUT_REQUIRED, and returns the message that answers it in the same
// task. By then the task is WORKING again. While it waits, the job counts as a waiting one, not as a running one.
//
// Besides the errors of Progress and of ctx it returns these faults: InvalidArgument with the reason QUESTION_INVALID,
// FailedPrecondition with ALREADY_ASKING while another question is open, DeadlineExceeded with NO_REPLY after MaxWait.
func (j *Job) Ask(ctx context.Context, parts ...*a2a.Part) (*a2a.Message, error) {
	replies, err := j.entry.ask(parts)
	if err != nil {
		return nil, err
	}
	j.leave()
	reply, err := j.entry.await(ctx, replies)
	return reply, cmp.Or(err, j.enter(ctx)) // even without a reply, because the job continues
}

// enter waits for the job's turn to run.
func (j *Job) enter(ctx context.Context) error {
	j.entering.Lock()
	defer j.entering.Unlock()
	if j.runs.Load() { // another Ask of this job has got the slot
		return nil
	}
	select {
	case j.board.slots <- struct{}{}:
		j.runs.Store(true)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-j.board.stopping: // the slot may be that of a job that has stopped already
		return errStopping
	default:
		return nil
	}
}

// leave gives up the job's slot, so that another job can run.
func (j *Job) leave() {
	if j.runs.Swap(false) {
		<-j.board.slots
	}
}

// ask opens a question and returns the channel on which the reply arrives.
func (e *entry) ask(parts []*a2a.Part) (<-chan *a2a.Message, error) {
	size, err := sizeOf(parts)
	if err != nil || len(parts) == 0 {
		return nil, fault.Invalid("parts", "QUESTION_INVALID", "a question needs parts, each with text, raw, data or url")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.question != nil {
		return nil, fault.New(fault.FailedPrecondition, "ALREADY_ASKING", "the task already waits for a reply")
	}
	if err := e.admits(false, size); err != nil {
		return nil, err
	}
	e.question = make(chan *a2a.Message, 1)
	e.publishStatus(a2a.TaskStateInputRequired, a2a.NewMessageForTask(a2a.MessageRoleAgent, e.task, parts...), e.task.History, size)
	return e.question, nil
}

// await returns the reply, or withdraws the question if none arrives in time.
func (e *entry) await(ctx context.Context, replies <-chan *a2a.Message) (*a2a.Message, error) {
	timeout := time.NewTimer(MaxWait)
	defer timeout.Stop()
	var err error
	select {
	case reply := <-replies:
		return reply, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timeout.C:
		err = fault.New(fault.DeadlineExceeded, "NO_REPLY", "nobody replied to the task's question within %s", MaxWait)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.question == nil { // a reply arrived at the same moment
		return <-replies, nil
	}
	e.question = nil
	if !e.task.Status.State.Terminal() {
		e.publishStatus(a2a.TaskStateWorking, nil, e.task.History, 0)
	}
	return nil, err
}

// answer passes the reply to the job, and adds question and reply to the history. The view is from before anything that the job does with the reply, so
// that its sender misses no event.
func (e *entry) answer(message *a2a.Message, sentAs fingerprint, size int) (view, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case message.ContextID != "" && message.ContextID != e.task.ContextID:
		return view{}, a2a.NewError(a2a.ErrInvalidParams, "the task is in another context; leave the context id out, or send the task's")
	case e.task.Status.State.Terminal():
		return view{}, a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended; send a new message without a task id")
	case e.question == nil:
		return view{}, a2a.NewError(a2a.ErrUnsupportedOperation, "the task does not wait for a message; send a new one without a task id")
	case e.size+size > MaxBytes:
		return view{}, a2a.NewError(a2a.ErrUnsupportedOperation, "the task holds as much as it can; send a shorter message")
	}
	own := *message // the sender's value must not change
	own.TaskID, own.ContextID = e.id, e.task.ContextID
	history := slices.Clip(e.task.History)
	if asked := e.task.Status.Message; asked != nil {
		history = append(history, asked)
	}
	e.publishStatus(a2a.TaskStateWorking, nil, append(history, &own), size)
	e.sentAs = append(e.sentAs, sentAs)
	e.question <- &own
	e.question = nil
	return view{e, e.task, len(e.events)}, nil
}
