package board

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// entry is one task. Tasks that it returns are never changed afterwards: each event makes a new snapshot.
type entry struct {
	id      a2a.TaskID
	cancel  context.CancelCauseFunc
	sent    int       // the size of its first message; never changed
	retired time.Time // guarded by Board.mu
	kept    int       // guarded by Board.mu; the size with which it was counted when it was retired

	mu      sync.Mutex
	task    *a2a.Task     // guarded by mu
	events  []a2a.Event   // guarded by mu; everything after the submission
	size    int           // guarded by mu
	changed chan struct{} // guarded by mu; closed by the next event

	question chan *a2a.Message // guarded by mu; receives the reply; nil unless the job waits for one
	sentAs   []fingerprint     // guarded by mu; the messages of the task
}

func newEntry(message *a2a.Message, sentAs fingerprint, size int, cancel context.CancelCauseFunc) *entry {
	contextID := message.ContextID
	if contextID == "" {
		contextID = a2a.NewContextID()
	}
	own := *message // the sender's value stays as it is
	task := &a2a.Task{ID: a2a.NewTaskID(), ContextID: contextID}
	own.TaskID, own.ContextID = task.ID, contextID
	task.History = []*a2a.Message{&own}
	task.Status = a2a.TaskStatus{State: a2a.TaskStateSubmitted, Timestamp: utcNow()}
	return &entry{id: task.ID, sentAs: []fingerprint{sentAs}, cancel: cancel, sent: size, task: task, size: size, changed: make(chan struct{})}
}

// utcNow returns the time in UTC, as the specification demands (section 5.6.1).
func utcNow() *time.Time {
	now := time.Now().UTC()
	return &now
}

// view is the state of a task, and the number of events that led to it.
type view struct {
	entry *entry
	task  *a2a.Task
	seen  int
}

// snapshot returns the current state of the task.
func (e *entry) snapshot() view {
	e.mu.Lock()
	defer e.mu.Unlock()
	return view{e, e.task, len(e.events)}
}

// since returns the events after the first seen ones, whether they include the end, and a channel that is closed by the next
// event.
func (e *entry) since(seen int) (events []a2a.Event, ended bool, changed <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.events[seen:len(e.events):len(e.events)], e.task.Status.State.Terminal(), e.changed
}

// eventBytes is about what an event takes beside its content: of an artifact with a word in it, many times as much as the word.
const eventBytes = 512

// bytes returns how much memory the task takes.
func (e *entry) bytes() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.size + len(e.events)*eventBytes
}

func (e *entry) messages() []fingerprint {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sentAs
}

// update sets the task's state; text, unless empty, is the agent's message. A task that has ended is not changed.
func (e *entry) update(state a2a.TaskState, text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.setStatus(state, text)
}

// complete ends the task as completed. A task without an artifact gets the text of its last progress as its message.
func (e *entry) complete() {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := ""
	if last := e.task.Status.Message; last != nil && len(e.task.Artifacts) == 0 {
		text = last.Parts[0].Text()
	}
	_ = e.setStatus(a2a.TaskStateCompleted, text) // an error means that it was canceled meanwhile
}

// setStatus is update for callers that hold mu.
func (e *entry) setStatus(state a2a.TaskState, text string) error {
	if err := e.admits(state.Terminal(), len(text)); err != nil {
		return err
	}
	var message *a2a.Message
	if text != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, e.task, a2a.NewTextPart(text))
	}
	e.publishStatus(state, message, e.task.History, len(text))
	return nil
}

// publishStatus publishes a state with a message and the history. The caller holds mu, and the task must not have ended.
func (e *entry) publishStatus(state a2a.TaskState, message *a2a.Message, history []*a2a.Message, size int) {
	next := *e.task
	next.Status = a2a.TaskStatus{State: state, Timestamp: utcNow(), Message: message}
	next.History = history
	e.publish(&next, &a2a.TaskStatusUpdateEvent{TaskID: next.ID, ContextID: next.ContextID, Status: next.Status}, size)
}

// deliver adds an artifact, or more parts to the one with its id; last says that there will be no more. Watchers get one event for each part; later readers get
// the artifact as a whole.
func (e *entry) deliver(artifact *a2a.Artifact, last bool) error {
	size, err := sizeOf(artifact.Parts)
	if err != nil {
		return err
	}
	metadata, err := sizeOfMetadata(artifact.Metadata)
	if err != nil {
		return err
	}
	size += metadata
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.admits(false, size); err != nil {
		return err
	}
	for i := range max(len(artifact.Parts), 1) {
		chunk := *artifact
		if len(artifact.Parts) > 1 {
			chunk.Parts = artifact.Parts[i : i+1]
		}
		e.publishChunk(&chunk, last && i+1 >= len(artifact.Parts))
	}
	e.size += size
	return nil
}

// publishChunk publishes a new artifact, or more of the one with its id. The caller holds mu.
func (e *entry) publishChunk(chunk *a2a.Artifact, last bool) {
	next, whole := *e.task, *chunk
	next.Artifacts = slices.Clone(next.Artifacts)
	at := slices.IndexFunc(next.Artifacts, func(a *a2a.Artifact) bool { return a.ID == chunk.ID })
	if at >= 0 {
		whole = *next.Artifacts[at]
		whole.Parts = slices.Concat(whole.Parts, chunk.Parts)
		next.Artifacts[at] = &whole
	} else {
		next.Artifacts = append(next.Artifacts, &whole)
	}
	e.publish(&next, &a2a.TaskArtifactUpdateEvent{TaskID: next.ID, ContextID: next.ContextID, Artifact: chunk, Append: at >= 0, LastChunk: last}, 0)
}

// admits returns an error if the task cannot have one more event. The event that ends it is always possible. The caller holds mu.
func (e *entry) admits(end bool, size int) error {
	switch {
	case e.task.Status.State.Terminal():
		return fault.New(fault.FailedPrecondition, "TASK_ENDED", "the task has ended as %s", e.task.Status.State)
	case end:
		return nil
	case len(e.events) >= MaxEvents:
		return fault.New(fault.ResourceExhausted, "TOO_MANY_EVENTS", "the task has had %d updates, the most it can have", MaxEvents)
	case e.size+size > MaxBytes:
		return fault.New(fault.ResourceExhausted, "TASK_TOO_LARGE", "message and artifacts of a task can have at most %d MiB", MaxBytes>>20)
	}
	return nil
}

// publish stores a new snapshot and its event. The caller holds mu.
func (e *entry) publish(next *a2a.Task, event a2a.Event, size int) {
	e.task = next
	e.events = append(e.events, event)
	e.size += size
	close(e.changed)
	e.changed = make(chan struct{})
}
