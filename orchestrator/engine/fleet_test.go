package engine_test

import (
	"context"
	"fmt"
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
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// fleet is replicas on one store before one agent, in played time. One of what they do outside themselves, a call to the store or to the agent, goes
// wrong.
type fleet struct {
	t      *testing.T
	kind   mishap
	at     int // which call
	agent  *farAgent
	store  storetest.Memory
	leases storetest.MemoryLeases
	actors map[string]*actor // who is registered
	asked  consultation.Store
	told   *receiver // who is told of tasks; nil: nobody

	history history
	watch   *onlooker   // may be nil
	silent  atomic.Bool // nobody can post to another replica

	mu      sync.Mutex
	calls   int                                      // guarded by mu
	quiet   bool                                     // guarded by mu; nothing goes wrong any more
	nodes   []*node                                  // guarded by mu
	written map[orchestrator.Key][]orchestrator.Task // guarded by mu; every version of every task
}

// What goes wrong in a fleet besides what goes wrong with one process.
const (
	throttled    mishap = "ten calls in a row are refused"
	pausesBefore mishap = "the process is paused before the call and goes on after others took over"
	pausesAfter  mishap = "the process is paused after the call and goes on after others took over"
)

var fleetMishaps = slices.Concat(mishaps, []mishap{throttled, pausesBefore, pausesAfter})

// pause is longer than leases last.
const pause = 40 * time.Second

func newFleet(t *testing.T, size int, kind mishap, at int, agent *farAgent) *fleet {
	t.Helper()
	f := &fleet{t: t, kind: kind, at: at, agent: agent, actors: map[string]*actor{"worker": {name: "worker", once: agent.once()}}, asked: noConsultations{}}
	f.begin(size)
	return f
}

// begin starts as many nodes.
func (f *fleet) begin(size int) {
	f.written = make(map[orchestrator.Key][]orchestrator.Task)
	f.store.Lag = 3 * time.Second
	f.store.Written = func(t orchestrator.Task) {
		k := t.Key()
		f.written[k] = append(f.written[k], t) // the store's own lock guards it while replicas run
	}
	for range size {
		f.nodes = append(f.nodes, &node{fleet: f})
	}
	for _, n := range f.nodes {
		n.start()
	}
	<-time.After(5 * time.Second) // the leases are shared out
}

// node is a replica. It can die, and start again as another process; or be paused, when nothing that it does reaches the outside.
type node struct {
	fleet  *fleet
	engine *engine.Engine

	mu      sync.Mutex
	dead    bool          // guarded by mu
	paused  chan struct{} // guarded by mu; closed when the pause is over; nil when there is none
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (n *node) start() {
	f := n.fleet
	ctx, cancel := context.WithCancel(f.t.Context())
	logger := slog.New(slog.DiscardHandler)
	out := &outside{node: n}
	leases, err := lease.New(lease.Config{Store: leasesOutside{&f.leases, out}, Logger: logger, Collect: time.Second})
	if err != nil {
		f.t.Fatal(err)
	}
	agents := &played{actors: f.actors}
	var notifier push.Notifier
	if f.told != nil {
		notifier = receiverOutside{f.told, out}
	}
	e, err := engine.New(engine.Config{
		Store: storeOutside{&f.store, out}, Notifier: notifier, Leases: leases, Directory: directory{agents}, Connect: connects{client: f.agent.seenFrom(out)},
		Ledger: consultation.NewLedger(f.asked, consultation.LedgerOptions{}), Logger: logger,
		Tracer: tracernoop.NewTracerProvider().Tracer(""), Meter: meternoop.NewMeterProvider().Meter(""),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	n.mu.Lock()
	n.engine, n.cancel, n.dead = e, cancel, false
	n.mu.Unlock()
	n.running.Go(func() {
		if err := e.Run(ctx); err != nil {
			f.t.Errorf("Run() = %v", err)
		}
	})
}

// kill ends the process: from now on nothing that it does reaches the outside.
func (n *node) kill(o *outside) {
	o.dead.Store(true)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead = true
	n.cancel()
}

// startIfDead gives a dead node a new process.
func (n *node) startIfDead() {
	n.mu.Lock()
	dead := n.dead
	n.mu.Unlock()
	if dead {
		n.running.Wait()
		n.start()
	}
}

func (n *node) pause() {
	over := make(chan struct{})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.paused = over
	time.AfterFunc(pause, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.paused = nil
		close(over)
	})
}

// use is the engine, but of a node that is dead or paused: nobody reaches that one.
func (n *node) use() *engine.Engine {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead || n.paused != nil {
		return nil
	}
	return n.engine
}

// submit is a caller who has a task done by the worker.
func (f *fleet) submit() (task orchestrator.Task) {
	f.t.Helper()
	f.insist(func(ctx context.Context, e *engine.Engine) (err error) {
		task, err = e.Submit(ctx, engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "worker"}, RequestID: "r",
		})
		return err
	})
	return task
}

// insist is a caller that asks the nodes in turn until one does what is asked.
func (f *fleet) insist(call func(ctx context.Context, e *engine.Engine) error) {
	f.t.Helper()
	var err error
	for try := range 60 {
		e := f.nodes[try%len(f.nodes)].use()
		if e == nil {
			<-time.After(time.Second)
			continue
		}
		ctx, cancel := context.WithTimeout(f.t.Context(), 5*time.Second)
		err = call(ctx, e)
		cancel()
		if err == nil {
			return
		}
		f.revive()
	}
	f.t.Fatalf("%s at call %d: %v", f.kind, f.at, err)
}

func (f *fleet) revive() {
	for _, n := range f.nodes {
		n.startIfDead()
	}
}

// live lets the fleet work until the task has ended, and on until a paused owner would have come back; who died comes back after a while.
func (f *fleet) live(k orchestrator.Key) {
	for range 60 {
		<-time.After(15 * time.Second)
		f.revive()
		if t, err := f.store.Task(f.t.Context(), k); err == nil && t.Ended() {
			<-time.After(pause + 10*time.Second)
			break
		}
	}
	f.mu.Lock()
	f.quiet = true
	f.mu.Unlock()
	for _, n := range f.nodes {
		n.cancel()
	}
	for _, n := range f.nodes {
		n.running.Wait()
	}
}

// check looks at the end of a task from outside.
func (f *fleet) check(k orchestrator.Key) {
	f.t.Helper()
	when := fmt.Sprintf("%s at call %d of %d replicas", f.kind, f.at, len(f.nodes))
	ctx := context.Background() // the test's own is over with the fleet's life
	task, err := f.store.Task(ctx, k)
	if err != nil {
		f.t.Fatalf("%s: the accepted task is lost: %v", when, err)
	}
	log, err := f.store.Events(ctx, k, 0, 1000)
	if err != nil {
		f.t.Fatalf("%s: %v", when, err)
	}
	unknown := f.agent.once() && task.Error != nil && task.Error.Reason == "OUTCOME_UNKNOWN"
	if ends := count(log, orchestrator.EventState); task.State != a2apb.TaskState_TASK_STATE_COMPLETED && !unknown || ends != 1 {
		f.t.Errorf("%s: the task is in state %s (%+v) after %d ends, want completed once; log %v", when, task.State, task.Error, ends, log)
	}
	for i, e := range log {
		if e.Sequence != uint64(i+1) {
			f.t.Errorf("%s: event %d has sequence %d", when, i+1, e.Sequence)
		}
	}
	if unknown {
		f.agent.gaveUp++
	}
	f.checkEpochs(when, k)
	f.history.check(f.t, when, k)
	f.agent.check(f.t, when, &task)
}

// checkEpochs looks for writes by an owner after a later owner's, and for work after the end, but for telling those who have to know.
func (f *fleet) checkEpochs(when string, k orchestrator.Key) {
	var before orchestrator.Task
	for _, t := range f.written[k] {
		if t.OwnerEpoch < before.OwnerEpoch {
			f.t.Errorf("%s: version %d was written under epoch %d, after one under epoch %d", when, t.Version, t.OwnerEpoch, before.OwnerEpoch)
		}
		if before.Ended() && (before.Settled() || t.State != before.State) {
			f.t.Errorf("%s: version %d was written after the end", when, t.Version)
		}
		before = t
	}
}
