package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// asker is an agent that asks twice before it delivers what it was told. It outlives the engine, deduplicates by message id, and takes a second to
// think about every message.
type asker struct {
	mu       sync.Mutex
	sends    map[string]int         // guarded by mu; by message id
	contexts []string               // guarded by mu; of the messages that began tasks
	tasks    map[string]*a2apb.Task // guarded by mu
	said     map[string][]string    // guarded by mu; by task, what it was told
	bare     bool                   // it shows no history, as agents may
	slow     bool                   // it shows its question until it has thought about the reply
	state    a2apb.TaskState        // that it asks in
	asked    int                    // guarded by mu; how often it was asked for a task
	shown    int                    // guarded by mu; messages of its history in the answers
}

func newAsker() *asker {
	return &asker{
		sends: make(map[string]int), tasks: make(map[string]*a2apb.Task), said: make(map[string][]string), state: a2apb.TaskState_TASK_STATE_INPUT_REQUIRED,
	}
}

func (a *asker) Send(_ context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	t, err := a.take(m)
	if err != nil {
		return err
	}
	return each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: t}}) // and the stream breaks: the engine has to ask
}

func (a *asker) take(m *a2apb.Message) (*a2apb.Task, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := m.GetMessageId()
	a.sends[id]++
	if m.GetTaskId() == "" {
		if t := a.tasks["remote-"+id]; t != nil {
			return t, nil
		}
		a.contexts = append(a.contexts, m.GetContextId())
		t := remoteTask("remote-"+id, a2apb.TaskState_TASK_STATE_WORKING, "")
		if t.ContextId = m.GetContextId(); t.GetContextId() == "" {
			t.ContextId = "context-" + id
		}
		a.think(t, m)
		return t, nil
	}
	t := a.tasks[m.GetTaskId()]
	switch {
	case t == nil:
		return nil, fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "no task %q", m.GetTaskId())
	case a.sends[id] > 1:
		return t, nil
	case t.GetStatus().GetState() != a.state || m.GetContextId() != t.GetContextId():
		return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "the task does not wait, or not in context %q", m.GetContextId())
	}
	a.think(t, m)
	return a.tasks[t.GetId()], nil
}

// think takes a message to heart, and asks again or delivers a second later. It needs mu.
func (a *asker) think(t *a2apb.Task, m *a2apb.Message) {
	next := proto.CloneOf(t)
	if !a.slow {
		next.Status = &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_WORKING}
	}
	if !a.bare {
		next.History = append(next.History, m)
	}
	a.tasks[t.GetId()] = next
	a.said[t.GetId()] = append(a.said[t.GetId()], m.GetParts()[0].GetText())
	said := a.said[t.GetId()]
	time.AfterFunc(time.Second, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		done := proto.CloneOf(next)
		if len(said) < 3 {
			question := text(fmt.Sprintf("question %d?", len(said)))
			question.MessageId = fmt.Sprintf("%s-q%d", t.GetId(), len(said))
			done.Status = &a2apb.TaskStatus{State: a.state, Message: question}
		} else {
			done.Status = &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED}
			done.Artifacts = remoteTask("", 0, "", strings.Join(said, ", ")).GetArtifacts()
		}
		a.tasks[t.GetId()] = done
	})
}

func (*asker) Subscribe(context.Context, string, agentclient.Each) error {
	return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no streams")
}

func (a *asker) Task(_ context.Context, id string, history int32) (*a2apb.Task, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	if t := a.tasks[id]; t != nil {
		shown := proto.CloneOf(t)
		shown.History = shown.GetHistory()[max(0, len(shown.GetHistory())-int(history)):]
		a.shown += len(shown.GetHistory())
		return shown, nil
	}
	return nil, fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "no task %q", id)
}

func (*asker) Cancel(context.Context, string, *structpb.Struct) (*a2apb.Task, error) {
	return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no")
}

// asks plays an agent that asks in a state, and delivers what it is told then.
func asks(state a2apb.TaskState, question string) *actor {
	a := &actor{name: "asker", skill: "work"}
	a.play = func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
		if m.GetTaskId() == "" {
			a.remember(remoteTask("r", state, question))
			return say(snapshot("r", state, question))
		}
		done := remoteTask("r", a2apb.TaskState_TASK_STATE_COMPLETED, "", "told "+m.GetParts()[0].GetText())
		a.remember(done)
		return say(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: done}})
	}
	return a
}

// reply replies to a task and reports the reason when that is refused.
func (w *world) reply(id, words, request string) string {
	w.t.Helper()
	_, err := w.engine.Reply(w.t.Context(), engine.Reply{
		Key: orchestrator.Key{Tenant: tenant, ID: id}, Caller: "tester", Message: text(words), RequestID: request,
	})
	return fault.ReasonOf(err)
}

// until returns the task once it is as wanted.
func (w *world) until(id string, wanted func(*orchestrator.Task) bool) (t orchestrator.Task) {
	w.t.Helper()
	reached := errors.New("the task is as wanted")
	_, err := w.engine.Watch(w.t.Context(), orchestrator.Key{Tenant: tenant, ID: id}, 0, true, func(orchestrator.Event) error {
		if t = w.task(id); wanted(&t) {
			return reached
		}
		return nil
	})
	if !errors.Is(err, reached) {
		w.t.Fatalf("Watch(%s) = %v, want the task as wanted; it is in state %s", id, err, t.State)
	}
	return t
}
