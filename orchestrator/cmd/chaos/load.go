package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

const submitPause = 100 * time.Millisecond

// work is what tasks ask of the agent, and how they must end.
var work = []struct {
	text  string
	state a2apb.TaskState
}{
	{"hello", a2apb.TaskState_TASK_STATE_COMPLETED},
	{"sleep 300ms hello", a2apb.TaskState_TASK_STATE_COMPLETED},
	{"sleep 2s hello", a2apb.TaskState_TASK_STATE_COMPLETED},
	{"fail on purpose", a2apb.TaskState_TASK_STATE_FAILED},
}

// accepted is a task that a replica has accepted.
type accepted struct {
	id   string
	want a2apb.TaskState
	at   time.Time
}

// load submits tasks and remembers those that were accepted.
type load struct {
	world *world

	mu       sync.Mutex
	accepted []accepted // guarded by mu
	retries  int        // guarded by mu; submissions that had to be repeated
	refused  []string   // guarded by mu; answers that say that a replica will not
	next     int        // guarded by mu
}

func newLoad(w *world) *load { return &load{world: w} }

// submit submits one task after the other until ctx ends.
func (l *load) submit(ctx context.Context) {
	for ctx.Err() == nil {
		l.mu.Lock()
		l.next++
		number := l.next
		l.mu.Unlock()
		w := work[number%len(work)]
		request := &orchestratorv1.SubmitTaskRequest{
			RequestId: fmt.Sprint("chaos-", number), Route: &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "echo"}},
			Message: &a2apb.Message{Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: w.text}}}},
		}
		if task := l.persist(ctx, request); task != nil {
			l.mu.Lock()
			l.accepted = append(l.accepted, accepted{id: task.GetId(), want: w.state, at: time.Now()})
			l.mu.Unlock()
		}
		if pause.For(ctx, submitPause) != nil {
			return
		}
	}
}

// persist submits a request to one replica after the other until one accepts it; nil when ctx has ended before.
func (l *load) persist(ctx context.Context, request *orchestratorv1.SubmitTaskRequest) *orchestratorv1.Task {
	for try := 0; ; try++ {
		r := l.world.replicas[rand.IntN(len(l.world.replicas))] //nolint:gosec // any replica
		task := &orchestratorv1.Task{}
		err := r.client.Call(ctx, http.MethodPost, "/v1/tasks", nil, request, task)
		if err == nil {
			return task
		}
		l.mu.Lock()
		l.retries++
		if kind := fault.KindOf(err); kind != fault.Unavailable && kind != fault.DeadlineExceeded && ctx.Err() == nil {
			l.refused = append(l.refused, err.Error())
		}
		l.mu.Unlock()
		if pause.For(ctx, submitPause) != nil {
			return nil
		}
	}
}
