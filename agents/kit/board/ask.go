package board

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// MaxWait is how long a job waits for the reply to a question.
const MaxWait = time.Hour

// Ask puts a question to whoever sent the task, which becomes INPUT_REQUIRED, and returns the message that answers it in the same
// task, which is WORKING again by then. While it waits the job counts among those that wait, not among those that run.
//
// Beside the errors of Progress and the end of ctx it returns these faults: InvalidArgument with the reason QUESTION_INVALID,
// FailedPrecondition with ALREADY_ASKING while another question is open, DeadlineExceeded with NO_REPLY after MaxWait.
func (j *Job) Ask(ctx context.Context, parts ...*a2a.Part) (*a2a.Message, error) {
	replies, err := j.entry.ask(parts)
	if err != nil {
		return nil, err
	}
	j.leave()
	reply, err := j.entry.await(ctx, replies)
	return reply, cmp.Or(err, j.enter(ctx)) // without a reply too: the job goes on
}

// enter waits for the job's turn to run.
func (j *Job) enter(ctx context.Context) error {
	j.entering.Lock()
	defer j.entering.Unlock()
	if j.runs.Load() { // for another question of this job, whose reply came too
		return nil
	}
	select {
	case j.board.slots <- struct{}{}:
		j.runs.Store(true)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave lets another job run.
func (j *Job) leave() {
	if j.runs.Swap(false) {
		<-j.board.slots
	}
}

// ask opens a question. The reply comes on the channel.
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
	e.turn(a2a.TaskStateInputRequired, a2a.NewMessageForTask(a2a.MessageRoleAgent, e.task, parts...), e.task.History, size)
	return e.question, nil
}

// await returns the reply, or withdraws the question when none comes in time.
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
	if e.question == nil { // the reply came at the same moment
		return <-replies, nil
	}
	e.question = nil
	if !e.task.Status.State.Terminal() {
		e.turn(a2a.TaskStateWorking, nil, e.task.History, 0)
	}
	return nil, err
}

// answer gives the reply to whoever asked, and both question and reply to the history.
func (e *entry) answer(message *a2a.Message, sentAs fingerprint, size int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case message.ContextID != "" && message.ContextID != e.task.ContextID:
		return a2a.NewError(a2a.ErrInvalidParams, "the task is in another context; leave the context id out, or send the task's")
	case e.task.Status.State.Terminal():
		return a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended; send a new message without a task id")
	case e.question == nil:
		return a2a.NewError(a2a.ErrUnsupportedOperation, "the task does not wait for a message; send a new one without a task id")
	case e.size+size > MaxBytes:
		return a2a.NewError(a2a.ErrUnsupportedOperation, "the task holds as much as it can; send a shorter message")
	}
	own := *message // the sender's value stays as it is
	own.TaskID, own.ContextID = e.id, e.task.ContextID
	history := slices.Clip(e.task.History)
	if asked := e.task.Status.Message; asked != nil {
		history = append(history, asked)
	}
	e.turn(a2a.TaskStateWorking, nil, append(history, &own), size)
	e.sentAs = append(e.sentAs, sentAs)
	e.question <- &own
	e.question = nil
	return nil
}

// turn needs mu and a task that has not ended.
func (e *entry) turn(state a2a.TaskState, message *a2a.Message, history []*a2a.Message, size int) {
	next := *e.task
	next.Status = a2a.TaskStatus{State: state, Timestamp: utcNow(), Message: message}
	next.History = history
	e.publish(&next, &a2a.TaskStatusUpdateEvent{TaskID: next.ID, ContextID: next.ContextID, Status: next.Status}, size)
}
