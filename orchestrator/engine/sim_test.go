package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	meternoop "go.opentelemetry.io/otel/metric/noop"
	tracernoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestNothingAcceptedIsLostWhereverItBreaks runs a task's life once for every call to the store and every kind of mishap, with time that is played.
// What it checks is seen from outside: an accepted task ends exactly once, completed; its log has no gaps; the agent, which deduplicates, did the
// work once.
func TestNothingAcceptedIsLostWhereverItBreaks(t *testing.T) {
	t.Parallel()
	wherever(t, 5, complete)
}

// complete has one task.
func complete(t *testing.T, x *trouble) {
	t.Helper()
	w := newWorker()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: w}
	s.meet(x)
	s.start()
	submission := engine.Submission{Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"}, RequestID: "r"}
	task := s.insist(x.String(), func() (orchestrator.Task, error) { return s.engine.Submit(t.Context(), submission) })
	s.accepted++
	s.minutes(20)
	s.stop()
	s.check(x.String(), orchestrator.Key{Tenant: tenant, ID: task.ID})
}

// simulation is an engine that can die and come back on the same store.
type simulation struct {
	t        *testing.T
	store    *storetest.Memory
	leases   storetest.MemoryLeases
	beats    func(orchestrator.LeaseStore) orchestrator.LeaseStore // put before the store of leases; nil: nothing is
	worker   *worker
	client   agentclient.Client // the worker, or something before it; nil: each of the actors
	away     string             // an agent that cannot be reached
	actors   map[string]*actor  // who is registered; nil: the worker
	notifier push.Notifier      // tells receivers of push notifications; may be nil
	receiver func(orchestrator.Key, int) string
	asked    consultation.Store               // nil: nobody is consulted
	logs     slog.Handler                     // nil: nobody reads them
	refuse   func(t *orchestrator.Task) error // of the store; nil: it takes every change
	stall    func(ctx context.Context) error  // of the store, before it takes a change; nil: it does not
	misread  func(k orchestrator.Key) error   // of the store; nil: it reads every task
	moment   *moment                          // when somebody else does something; may be nil
	now      func() time.Time                 // nil: time.Now
	engine   *engine.Engine
	accepted int // tasks

	mu      sync.Mutex
	life    *mortal // guarded by mu
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// newSimulation starts an engine before an agent that is a worker behind something.
func newSimulation(t *testing.T, f *flaky) *simulation {
	t.Helper()
	s := &simulation{t: t, store: &storetest.Memory{}, worker: f.worker, client: f}
	s.start()
	return s
}

func (s *simulation) start() { s.boot()() }

// boot makes an engine that answers calls, and returns what has it work on tasks.
func (s *simulation) boot() (work func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	agents := &played{actors: s.actors}
	if s.actors == nil {
		agents.actors = map[string]*actor{"worker": {name: "worker"}}
	}
	logger := slog.New(slog.DiscardHandler)
	if s.logs != nil {
		logger = slog.New(s.logs)
	}
	life := &mortal{Store: s.store, refuse: s.refuse, stall: s.stall, misread: s.misread}
	tasks := orchestrator.Store(life)
	if s.moment != nil {
		tasks = meddled{life, s.moment}
	}
	beats := orchestrator.LeaseStore(&s.leases)
	if s.beats != nil {
		beats = s.beats(beats)
	}
	leases, err := lease.New(lease.Config{Store: beats, Logger: slog.New(slog.DiscardHandler), Duration: 5 * time.Minute, Collect: time.Minute})
	if err != nil {
		s.t.Fatal(err)
	}
	asked := s.asked
	if asked == nil {
		asked = noConsultations{}
	}
	connect := engine.Connector(connects{s.client, s.away})
	if s.client == nil {
		connect = agents
	}
	e, err := engine.New(engine.Config{
		Store: tasks, Leases: leases, Directory: directory{agents}, Connect: connect, Ledger: consultation.NewLedger(mortalConsultations{asked, life}, consultation.LedgerOptions{}),
		Notifier: s.notifier, Receiver: s.receiver, Logger: logger, Tracer: tracernoop.NewTracerProvider().Tracer(""), Meter: meternoop.NewMeterProvider().Meter(""),
		Now: s.now,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.engine, s.cancel, s.life = e, cancel, life
	s.mu.Unlock()
	return func() {
		s.running.Go(func() {
			if err := e.Run(ctx); err != nil {
				s.kill() // the process would end; somebody starts it again
			}
		})
	}
}

// kill ends the engine from within a call to its store, as a crash would.
func (s *simulation) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life.dead.Store(true)
	s.cancel()
}

func (s *simulation) restartIfDead() {
	s.mu.Lock()
	dead := s.life.dead.Load()
	s.mu.Unlock()
	if dead {
		s.running.Wait()
		s.store.Reread()
		s.start()
	}
}

// insist does what a caller with a request id does: it asks again when it saw an error.
func (s *simulation) insist(when string, call func() (orchestrator.Task, error)) orchestrator.Task {
	s.t.Helper()
	task, err := call()
	for try := 0; err != nil && try < 3; try++ {
		s.restartIfDead()
		task, err = call()
	}
	if err != nil {
		s.t.Fatalf("%s: %v", when, err)
	}
	return task
}

// pass lets played time go by: every retry and rescan has its turn.
func (s *simulation) pass() { s.minutes(4) }

func (s *simulation) minutes(n int) {
	for range n {
		<-time.After(time.Minute)
		s.restartIfDead()
	}
}

func (s *simulation) stop() {
	s.cancel()
	s.running.Wait()
}

func (s *simulation) check(when string, k orchestrator.Key) {
	s.store.Fail = nil
	ctx := context.Background() // the test's own is over with the engine's life
	task, err := s.store.Task(ctx, k)
	if err != nil {
		s.t.Fatalf("%s: the accepted task is lost: %v", when, err)
	}
	log, err := s.store.Events(ctx, k, 0, 1000)
	if err != nil {
		s.t.Fatalf("%s: %v", when, err)
	}
	if task.State != a2apb.TaskState_TASK_STATE_COMPLETED || count(log, orchestrator.EventState) != 1 {
		s.t.Errorf("%s: the task is in state %s (%+v) with %d ends, want completed once; log %v", when, task.State, task.Error, count(log, orchestrator.EventState), log)
	}
	for i, e := range log {
		if e.Sequence != uint64(i+1) {
			s.t.Errorf("%s: event %d has sequence %d", when, i+1, e.Sequence)
		}
	}
	id := task.MessageID(1)
	sends := slices.DeleteFunc(s.worker.sent(), func(got string) bool { return got != id })
	if all := len(s.worker.done); all != s.accepted {
		s.t.Errorf("%s: the agent got %d different messages for %d tasks", when, all, s.accepted)
	}
	if n := s.worker.done[id]; n != 1 {
		s.t.Errorf("%s: the agent did the work %d times, want once", when, n)
	}
	if a := task.Attempts; len(a) != 1 || a[0].Sends < len(sends) {
		s.t.Errorf("%s: %d sends for the attempts %+v: a sending was not written down before it happened", when, len(sends), a)
	}
}

// mortal is a store as one process sees it: the dead neither read nor write.
type mortal struct {
	orchestrator.Store
	dead  atomic.Bool
	reads atomic.Int64 // of whole tasks

	refuse func(t *orchestrator.Task) error // says why a change is not written, if it is not; may be nil
	stall  func(ctx context.Context) error  // takes time before a change is written; may be nil

	misread func(k orchestrator.Key) error // says why a whole task is not read, if it is not; may be nil
}

var errDead = errors.New("this process is dead")

func (m *mortal) Create(ctx context.Context, t orchestrator.Task, events ...orchestrator.Event) (orchestrator.Task, bool, error) {
	if m.dead.Load() {
		return orchestrator.Task{}, false, errDead
	}
	return m.Store.Create(ctx, t, events...)
}

func (m *mortal) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	if m.dead.Load() {
		return orchestrator.Task{}, errDead
	}
	m.reads.Add(1)
	if m.misread != nil {
		if err := m.misread(k); err != nil {
			return orchestrator.Task{}, err
		}
	}
	return m.Store.Task(ctx, k)
}

func (m *mortal) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	if m.dead.Load() {
		return orchestrator.Task{}, errDead
	}
	return m.Store.TaskPart(ctx, k, want)
}

func (m *mortal) Update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	if m.dead.Load() {
		return orchestrator.Task{}, errDead
	}
	if m.stall != nil {
		if err := m.stall(ctx); err != nil {
			return orchestrator.Task{}, err
		}
	}
	return m.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		events, err := change(t)
		if err == nil && m.refuse != nil {
			err = m.refuse(t)
		}
		return events, err
	})
}

// mortalConsultations is a store of consultations as the same process sees it.
type mortalConsultations struct {
	consultation.Store
	process *mortal
}

func (m mortalConsultations) Append(ctx context.Context, tenant, taskID string, next func([]consultation.Entry) (consultation.Consultation, error)) error {
	if m.process.dead.Load() {
		return errDead
	}
	return m.Store.Append(ctx, tenant, taskID, next)
}

func (m mortalConsultations) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	if m.process.dead.Load() {
		return errDead
	}
	return m.Store.Update(ctx, tenant, id, change)
}

// noConsultations is the store of a ledger that nobody asks.
type noConsultations struct{ consultation.Store }
