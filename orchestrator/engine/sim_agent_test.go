package engine_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// worker is an agent with a network of its own: it outlives the engine, takes a second for its work, and deduplicates by message id.
type worker struct {
	takes time.Duration // its work

	mu    sync.Mutex
	sends []string               // guarded by mu
	done  map[string]int         // guarded by mu; work done by message id
	tasks map[string]*a2apb.Task // guarded by mu
}

func newWorker() *worker {
	return &worker{takes: time.Second, done: make(map[string]int), tasks: make(map[string]*a2apb.Task)}
}

func (w *worker) sent() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sends)
}

func (w *worker) Send(_ context.Context, m *a2apb.Message, _ bool, each agentclient.Each) error {
	id := m.GetMessageId()
	w.mu.Lock()
	w.sends = append(w.sends, id)
	task := w.tasks["remote-"+id]
	if task == nil {
		w.done[id]++
		task = remoteTask("remote-"+id, a2apb.TaskState_TASK_STATE_WORKING, "on it")
		w.tasks[task.GetId()] = task
		time.AfterFunc(w.takes, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.tasks[task.GetId()] = remoteTask(task.GetId(), a2apb.TaskState_TASK_STATE_COMPLETED, "", "done")
		})
	}
	w.mu.Unlock()
	return each(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: task}}) // and the stream breaks: the engine has to ask
}

func (w *worker) Subscribe(context.Context, string, agentclient.Each) error {
	return fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no streams")
}

func (w *worker) Task(_ context.Context, id string, _ int32) (*a2apb.Task, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.tasks[id]; t != nil {
		return t, nil
	}
	return nil, fault.New(fault.NotFound, agentclient.ReasonTaskNotFound, "no task %q", id)
}

func (w *worker) Cancel(context.Context, string, *structpb.Struct) (*a2apb.Task, error) {
	return nil, fault.New(fault.FailedPrecondition, agentclient.ReasonRefused, "no")
}

// connects always connects to the same agent, apart from one that cannot be reached.
type connects struct {
	client agentclient.Client
	away   string
}

// awayAgent is one that cannot be reached.
type awayAgent struct{ agentclient.Client }

func (awayAgent) Send(context.Context, *a2apb.Message, bool, agentclient.Each) error { return errAway }

func (c connects) Connect(name string, _ agentcard.Card) (agentclient.Client, string, error) {
	if name == c.away {
		return awayAgent{c.client}, agentcard.BindingGRPC, nil
	}
	return c.client, agentcard.BindingGRPC, nil
}

// flaky is a worker whose first sends fail in a way of their own; it notes when it was asked.
type flaky struct {
	*worker
	fail  func(send int) error // by number
	hold  func()               // before a message that is not refused is taken
	asked []time.Time
}

func (f *flaky) count(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *flaky) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	f.mu.Lock()
	f.asked = append(f.asked, time.Now())
	err := f.fail(len(f.asked))
	f.mu.Unlock()
	if err != nil {
		return err
	}
	if f.hold != nil {
		f.hold()
	}
	return f.worker.Send(ctx, m, stream, each)
}
