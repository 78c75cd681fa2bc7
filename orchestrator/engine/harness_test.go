package engine_test

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	meternoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracernoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/quorate/quorate/consultation"
	consultationstore "github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	tenant = "default"
	limit  = 20 * time.Second // nothing here takes a second; more means that it hangs
)

// world is an engine over real embedded stores, with agents that are played.
type world struct {
	t      testing.TB
	dir    string
	db     *boltdb.DB
	spans  *boltdb.DB
	store  *embedded.Store
	ledger *consultation.Ledger
	engine *engine.Engine
	agents *played
	now    func() time.Time
	told   push.Notifier // nil: nobody is told of tasks
	rules  consultation.LedgerOptions
	bounds struct{ running, exchanges int }            // zero: as they are by default
	asked  func(consultation.Store) consultation.Store // put before the store of consultations; nil: nothing is
	before func(orchestrator.Store) orchestrator.Store // put before the store of tasks; nil: nothing is
	tracer trace.Tracer                                // nil: spans are not recorded
	stop   func()
}

func newWorld(tb testing.TB, agents ...*actor) *world {
	tb.Helper()
	return newWorldWith(tb, func(*world) {}, agents...)
}

// newWorldWith is newWorld with other settings.
func newWorldWith(tb testing.TB, set func(*world), agents ...*actor) *world {
	tb.Helper()
	w := &world{t: tb, dir: tb.TempDir(), agents: &played{actors: make(map[string]*actor)}, now: time.Now}
	for _, a := range agents {
		w.agents.actors[a.name] = a
	}
	set(w)
	w.start()
	tb.Cleanup(func() { w.stop() })
	return w
}

// start opens the stores and runs an engine on them; stop ends both, as a crash would: nothing is handed over.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	var err error
	if w.db, err = boltdb.Open(filepath.Join(w.dir, "quorate.db"), boltdb.Options{}); err != nil {
		w.t.Fatal(err)
	}
	if w.spans, err = boltdb.Open(filepath.Join(w.dir, "spans.db"), boltdb.Options{}); err != nil {
		w.t.Fatal(err)
	}
	if w.store, err = embedded.New(ctx, w.db); err != nil {
		w.t.Fatal(err)
	}
	asked := consultation.Store(consultationstore.New(w.spans))
	if w.asked != nil {
		asked = w.asked(asked)
	}
	w.ledger = consultation.NewLedger(asked, w.rules)
	leaseStore, err := embedded.NewLeases(ctx, w.db)
	if err != nil {
		w.t.Fatal(err)
	}
	leases, err := lease.New(lease.Config{Store: leaseStore, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	tasks := orchestrator.Store(w.store)
	if w.before != nil {
		tasks = w.before(tasks)
	}
	tracer := w.tracer
	if tracer == nil {
		tracer = tracernoop.NewTracerProvider().Tracer("")
	}
	w.engine, err = engine.New(engine.Config{
		Store: tasks, Leases: leases, Directory: directory{w.agents}, Connect: w.agents, Ledger: w.ledger, Logger: slog.New(slog.DiscardHandler),
		Notifier: w.told, Tracer: tracer, Meter: meternoop.NewMeterProvider().Meter(""),
		RetryDelay: time.Millisecond, BreakerDelay: 10 * time.Millisecond, MaxRunning: w.bounds.running, MaxExchanges: w.bounds.exchanges, Now: func() time.Time { return w.now() },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.engine.Run(ctx); err != nil {
			w.t.Errorf("Run() = %v", err)
		}
	})
	w.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		if err := w.db.Close(); err != nil {
			w.t.Error(err)
		}
		if err := w.spans.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) restart() {
	w.stop()
	w.start()
}

// restartAt is restart with another clock.
func (w *world) restartAt(now func() time.Time) {
	w.stop()
	w.now = now
	w.start()
}

func (w *world) submit(s engine.Submission) orchestrator.Task {
	w.t.Helper()
	if s.Tenant == "" {
		s.Tenant, s.Caller = tenant, "tester"
	}
	if s.Message == nil {
		s.Message = text("do it")
	}
	task, err := w.engine.Submit(w.t.Context(), s)
	if err != nil {
		w.t.Fatalf("Submit() = %v", err)
	}
	return task
}

// await returns the task once it has ended or is blocked, with its log.
func (w *world) await(id string) (orchestrator.Task, []orchestrator.Event) {
	w.t.Helper()
	return w.watch(id, false)
}

// awaitEnd returns the task once it has ended, with its log.
func (w *world) awaitEnd(id string) (orchestrator.Task, []orchestrator.Event) {
	w.t.Helper()
	return w.watch(id, true)
}

func (w *world) watch(id string, throughGates bool) (orchestrator.Task, []orchestrator.Event) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	var log []orchestrator.Event
	task, err := w.engine.Watch(ctx, orchestrator.Key{Tenant: tenant, ID: id}, 0, throughGates, func(e orchestrator.Event) error {
		log = append(log, e)
		return nil
	})
	if err != nil {
		w.t.Fatalf("Watch(%s) = %v; the task is in state %s, phase %s; log %v", id, err, task.State, task.Phase, log)
	}
	for i, e := range log {
		if e.Sequence != uint64(i+1) {
			w.t.Errorf("event %d of task %s has sequence %d", i+1, id, e.Sequence)
		}
	}
	return task, log
}

// task is a task as it is stored.
func (w *world) task(id string) orchestrator.Task {
	w.t.Helper()
	task, err := w.store.Task(w.t.Context(), orchestrator.Key{Tenant: tenant, ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return task
}

func text(s string) *a2apb.Message {
	return &a2apb.Message{Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
}

// played is a registry and a network of actors.
type played struct {
	mu     sync.Mutex
	actors map[string]*actor // guarded by mu
}

func (p *played) actor(name string) *actor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.actors[name]
}

func (p *played) Connect(name string, _ agentcard.Card) (agentclient.Client, string, error) {
	return p.actor(name), "GRPC", nil
}

// directory is the registry as the engine sees it.
type directory struct{ *played }

func (d directory) Agent(_, name string) (registry.Agent, bool) {
	a := d.actor(name)
	if a == nil {
		return registry.Agent{}, false
	}
	return a.agent(), true
}

func (d directory) Peek(tenant, name string) (*registry.Agent, registry.Status, bool) {
	a, ok := d.Agent(tenant, name)
	return &a, a.Status, ok
}

func (d directory) PeekAll(tenant string, names iter.Seq[string], see func(*registry.Agent, registry.Status)) {
	for name := range names {
		if a, s, ok := d.Peek(tenant, name); ok {
			see(a, s)
		}
	}
}

func (d directory) BySkill(tenant, skill string) []string {
	var list []string
	for _, a := range d.Listing(tenant).Agents {
		if d.actor(a.Name).skill == skill {
			list = append(list, a.Name)
		}
	}
	return list
}

func (d directory) Listing(string) registry.Listing {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := registry.Listing{Edition: uint64(len(d.actors)) + 1}
	for _, name := range slices.Sorted(maps.Keys(d.actors)) {
		a := d.actors[name].agent()
		list.Agents = append(list.Agents, &a)
	}
	return list
}

func (d directory) Edition(string) uint64                              { return d.Listing("").Edition }
func (d directory) Revision(string) int64                              { return 0 }
func (d directory) Refresh(context.Context, string) error              { return nil }
func (d directory) SyncStatuses(context.Context, string) (bool, error) { return false, nil }

func count(log []orchestrator.Event, kind orchestrator.EventType) int {
	n := 0
	for _, e := range log {
		if e.Type == kind {
			n++
		}
	}
	return n
}
