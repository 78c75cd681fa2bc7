package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	pauses "github.com/quorate/quorate/platform/pause"
)

// whim is an agent that does its one task as the lot has it, all of it legal, whether anybody listens or not. It outlives the engine, and knows messages by id.
type whim struct {
	agentclient.Client // nobody cancels

	lot *rand.Rand

	mu    sync.Mutex
	task  *a2apb.Task     // guarded by mu; as it is; nil: not begun
	known map[string]bool // guarded by mu; the ids of the messages that it has
	talk  []string        // guarded by mu; what it asked its caller, and what it was told
	moves int             // guarded by mu; left before the end
	lost  int             // guarded by mu; calls that may still go wrong
}

func newWhim(lot *rand.Rand) *whim {
	return &whim{lot: lot, known: make(map[string]bool), moves: lot.IntN(12), lost: lot.IntN(4)}
}

func (w *whim) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	w.mu.Lock()
	if w.loses() {
		w.mu.Unlock()
		return errAway
	}
	again := w.known[m.GetMessageId()]
	if w.task == nil {
		w.task = remoteTask("r1", a2apb.TaskState_TASK_STATE_SUBMITTED, "")
	} else if !again {
		w.task.Status = &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING}
	}
	if !again {
		w.known[m.GetMessageId()], w.talk = true, append(w.talk, messageOf(m))
	}
	unheard, first := w.loses(), snapshotOf(proto.CloneOf(w.task))
	w.mu.Unlock()
	if unheard {
		each = func(*a2apb.StreamResponse) error { return errAway }
	}
	err := each(first)
	switch {
	case again:
		return err
	case err != nil || !stream:
		go w.workAlone(ctx)
		return err
	}
	return w.work(ctx, each)
}

// workAlone does the task while nobody listens.
func (w *whim) workAlone(ctx context.Context) {
	_ = w.work(context.WithoutCancel(ctx), func(*a2apb.StreamResponse) error { return nil }) // nobody would hear of an error
}

// loses reports whether a call goes wrong. It needs mu.
func (w *whim) loses() bool {
	if w.lost == 0 || w.lot.IntN(4) > 0 {
		return false
	}
	w.lost--
	return true
}

func (w *whim) Task(context.Context, string, int32) (*a2apb.Task, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.loses() {
		return nil, errAway
	}
	return proto.CloneOf(w.task), nil
}

func (*whim) Subscribe(context.Context, string, agentclient.Each) error {
	return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no streams")
}

// work does the task until it ends or waits, and goes on alone when nobody listens any more.
func (w *whim) work(ctx context.Context, each agentclient.Each) error {
	for {
		w.mu.Lock()
		thinks := time.Duration(w.lot.IntN(4000)) * time.Millisecond
		w.mu.Unlock()
		err := pauses.For(ctx, thinks)
		if err == nil {
			w.mu.Lock()
			said, state := w.move(ctx), w.task.GetStatus().GetState()
			w.mu.Unlock()
			if err = errAway; said != nil {
				err = each(said)
			}
			if orchestrator.Terminal(state) || orchestrator.Interrupted(state) {
				return err
			}
		}
		if err != nil {
			go w.workAlone(ctx)
			return err
		}
	}
}

// move does something and returns what it says of that, nil for a connection that breaks. It needs mu.
func (w *whim) move(ctx context.Context) *a2apb.StreamResponse {
	ends := []a2apb.TaskState{a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_COMPLETED, a2apb.TaskState_TASK_STATE_FAILED, a2apb.TaskState_TASK_STATE_REJECTED}
	w.moves--
	words := fmt.Sprintf("words %d", w.moves)
	switch kind := w.lot.IntN(10); {
	case w.moves < 0:
		return w.become(ends[w.lot.IntN(len(ends))], words)
	case kind == 0:
		w.talk = append(w.talk, words)
		return w.become(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, words)
	case kind == 1: // and is, somewhere else
		time.AfterFunc(time.Duration(w.lot.IntN(60))*time.Second, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.become(a2apb.TaskState_TASK_STATE_WORKING, "thanks")
			go w.workAlone(ctx)
		})
		return w.become(a2apb.TaskState_TASK_STATE_AUTH_REQUIRED, "to be authorized")
	case kind == 2:
		return nil
	case kind == 3: // it says all once more
		return snapshotOf(proto.CloneOf(w.task))
	case kind < 7:
		return w.deliver(words)
	default:
		return w.become(a2apb.TaskState_TASK_STATE_WORKING, words)
	}
}

// become puts the task into a state. It needs mu.
func (w *whim) become(state a2apb.TaskState, words string) *a2apb.StreamResponse {
	w.task.Status = &a2apb.TaskStatus{State: state, Message: text(words)}
	w.task.Status.Message.MessageId = fmt.Sprint(words, w.moves)
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{TaskId: "r1", Status: proto.CloneOf(w.task.GetStatus())}}}
}

// deliver delivers an artifact, a piece of one, or one anew. It needs mu.
func (w *whim) deliver(words string) *a2apb.StreamResponse {
	list := w.task.GetArtifacts()
	piece, at := chunks(words), min(w.lot.IntN(3), len(list))
	piece.ArtifactId = fmt.Sprint("artifact ", at)
	said := &a2apb.TaskArtifactUpdateEvent{TaskId: "r1", Artifact: proto.CloneOf(piece), Append: at < len(list) && w.lot.IntN(4) > 0, LastChunk: w.lot.IntN(3) == 0}
	if said.GetAppend() {
		piece.Parts = append(list[at].GetParts(), piece.GetParts()...)
	}
	w.task.Artifacts = append(append(list[:at:at], piece), list[min(at+1, len(list)):]...)
	return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_ArtifactUpdate{ArtifactUpdate: said}}
}
