package board

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// Limits of one task.
const (
	MaxEvents = 1_000   // status and artifact updates of one task
	MaxBytes  = 8 << 20 // message and artifacts of one task, with their metadata
)

// Work does one job. The caller is told a returned fault; any other error is reported as an internal one. The context ends
// when the task is canceled or the board stops.
type Work func(ctx context.Context, job *Job) error

// Options are the settings of a Board. Zero values mean the defaults, which are given with each field.
type Options struct {
	Work         Work          // required
	MaxRunning   int           // jobs at a time; 64
	MaxWaiting   int           // jobs that wait for their turn; 1,024
	MaxLiveBytes int           // messages of tasks that have not ended; 256 MiB
	MaxKept      int           // ended tasks; 1,000
	MaxKeptBytes int           // messages and artifacts of ended tasks; 64 MiB
	KeepFor      time.Duration // how long an ended task is kept at most; one hour
	Logger       *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.MaxRunning <= 0 {
		o.MaxRunning = 64
	}
	if o.MaxWaiting <= 0 {
		o.MaxWaiting = 1024
	}
	if o.MaxLiveBytes <= 0 {
		o.MaxLiveBytes = 256 << 20
	}
	if o.MaxKept <= 0 {
		o.MaxKept = 1000
	}
	if o.MaxKeptBytes <= 0 {
		o.MaxKeptBytes = 64 << 20
	}
	if o.KeepFor <= 0 {
		o.KeepFor = time.Hour
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

var _ a2asrv.RequestHandler = (*Board)(nil)

// Board is the set of an agent's tasks. It is safe for concurrent use.
type Board struct {
	unsupported
	options  Options
	slots    chan struct{} // one element per running job
	stopping chan struct{} // closed when Stop begins
	over     chan struct{} // closed when Stop ends
	jobs     sync.WaitGroup

	mu        sync.Mutex
	stopped   bool                   // guarded by mu
	tasks     map[a2a.TaskID]*entry  // guarded by mu
	messages  map[fingerprint]*entry // guarded by mu
	live      int                    // guarded by mu; tasks that have not ended
	liveBytes int                    // guarded by mu; of their first messages
	ended     []*entry               // guarded by mu; oldest first
	keptBytes int                    // guarded by mu; of ended tasks
}

// New returns a board that runs o.Work for each message.
func New(o Options) *Board {
	o = o.withDefaults()
	return &Board{
		options:  o,
		slots:    make(chan struct{}, o.MaxRunning),
		stopping: make(chan struct{}),
		over:     make(chan struct{}),
		tasks:    make(map[a2a.TaskID]*entry),
		messages: make(map[fingerprint]*entry),
	}
}

var errStopping = errors.New("the agent is stopping")

// Stop refuses new messages, ends the contexts of all jobs, and waits for the jobs. Whoever watches one that completes by then sees its end; the other
// streams end, too. It returns the error of ctx if a job does not return in time.
func (b *Board) Stop(ctx context.Context) error {
	b.mu.Lock()
	first := !b.stopped
	if first {
		b.stopped = true
		close(b.stopping)
	}
	for _, e := range b.tasks {
		e.cancel(errStopping)
	}
	b.mu.Unlock()
	if first {
		defer close(b.over)
	}

	done := make(chan struct{})
	go func() { // ends with the last job
		b.jobs.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// admit returns the task of a message, if the message was sent before, or makes a task and starts its job. The view of a new
// task is from before its first event, so that its sender misses none.
func (b *Board) admit(ctx context.Context, request *a2a.SendMessageRequest) (view, error) {
	message := request.Message
	sentAs, size, err := measure(request)
	if err != nil {
		return view{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(time.Now())
	if known := b.messages[sentAs]; known != nil {
		return known.snapshot(), nil
	}
	if b.stopped {
		return view{}, errUnavailable
	}
	if message.TaskID != "" {
		return b.reply(message, sentAs, size)
	}
	if b.live >= b.options.MaxRunning+b.options.MaxWaiting || b.liveBytes+size > b.options.MaxLiveBytes {
		return view{}, errFull
	}
	// The job outlives the request, but keeps its context's values: service parameters and the caller's trace.
	jobCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	e := newEntry(message, sentAs, size, cancel)
	b.tasks[e.id], b.messages[sentAs] = e, e
	b.live, b.liveBytes = b.live+1, b.liveBytes+e.sent
	submitted := e.snapshot()
	b.jobs.Go(func() { b.run(jobCtx, &Job{Request: request, entry: e, board: b}) })
	return submitted, nil
}

// reply gives a message to the task that asked for one. The caller holds mu.
func (b *Board) reply(message *a2a.Message, sentAs fingerprint, size int) (view, error) {
	e := b.tasks[message.TaskID]
	if e == nil {
		return view{}, a2a.ErrTaskNotFound
	}
	v, err := e.answer(message, sentAs, size)
	if err != nil {
		return view{}, err
	}
	b.messages[sentAs] = e
	return v, nil
}

func (b *Board) find(id a2a.TaskID) (view, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(time.Now())
	if e := b.tasks[id]; e != nil {
		return e.snapshot(), nil
	}
	return view{}, a2a.ErrTaskNotFound
}

// retire counts a task as ended, and forgets old ones as necessary. Each task is retired once, after its job has returned.
func (b *Board) retire(e *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live, b.liveBytes = b.live-1, b.liveBytes-e.sent
	b.ended = append(b.ended, e)
	e.retired = time.Now()
	e.kept = e.bytes()
	b.keptBytes += e.kept
	b.forget(e.retired)
}

// forget drops the oldest ended tasks until the board is within its limits. The caller holds mu.
func (b *Board) forget(now time.Time) {
	for len(b.ended) > 0 {
		oldest := b.ended[0]
		if len(b.ended) <= b.options.MaxKept && b.keptBytes <= b.options.MaxKeptBytes && now.Sub(oldest.retired) <= b.options.KeepFor {
			return
		}
		b.ended[0] = nil
		b.ended = b.ended[1:]
		b.keptBytes -= oldest.kept
		delete(b.tasks, oldest.id)
		for _, message := range oldest.messages() {
			delete(b.messages, message)
		}
	}
}
