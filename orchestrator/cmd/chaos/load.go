package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

const submitPause = 100 * time.Millisecond

// accepted is a task that a replica has accepted.
type accepted struct {
	*job
	id string
	at time.Time
}

// load submits tasks and remembers those that were accepted.
type load struct {
	world *world

	playing  sync.WaitGroup // what callers do while their tasks run
	mu       sync.Mutex
	accepted []accepted // guarded by mu
	retries  int        // guarded by mu; calls that had to be repeated
	refused  []string   // guarded by mu; answers that say that a replica will not
	next     int        // guarded by mu
}

func newLoad(w *world) *load { return &load{world: w} }

// submit submits one task after the other until stop is closed. What their callers do meanwhile goes on as long as ctx lasts.
func (l *load) submit(ctx context.Context, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		l.mu.Lock()
		number := l.next
		l.next++
		l.mu.Unlock()
		j, task := &jobs[number%len(jobs)], &orchestratorv1.Task{}
		if !l.persist(ctx, http.MethodPost, "/v1/tasks", j.request(number), task) {
			return
		}
		l.mu.Lock()
		l.accepted = append(l.accepted, accepted{job: j, id: task.GetId(), at: time.Now()})
		l.mu.Unlock()
		if j.play != nil {
			l.playing.Go(func() { j.play(l, ctx, task.GetId()) })
		}
		if pause.For(ctx, submitPause) != nil {
			return
		}
	}
}

// persist makes a call at one replica after the other until one answers, and returns false when ctx ends before. A call that comes too late, since one whose answer
// was lost has ended the task, is answered.
func (l *load) persist(ctx context.Context, method, path string, in, out proto.Message) bool {
	for {
		r := l.world.replicas[rand.IntN(len(l.world.replicas))] //nolint:gosec // any replica
		err := r.client.Call(ctx, method, path, nil, in, out)
		if err == nil || fault.ReasonOf(err) == "TASK_ENDED" {
			return true
		}
		l.mu.Lock()
		l.retries++
		if kind := fault.KindOf(err); kind != fault.Unavailable && kind != fault.DeadlineExceeded && ctx.Err() == nil {
			l.refused = append(l.refused, err.Error())
		}
		l.mu.Unlock()
		if pause.For(ctx, submitPause) != nil {
			return false
		}
	}
}
