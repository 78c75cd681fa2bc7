package engine

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/lease"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// Connector opens a client to an agent.
type Connector interface {
	Connect(name string, card registry.Card) (client agentclient.Client, binding string, err error)
}

// Config holds what an Engine works with. All fields but Now, Notifier, Receiver and the durations are required.
type Config struct {
	Store     orchestrator.Store
	Leases    *lease.Manager
	Directory router.Directory // the agents
	Connect   Connector
	Ledger    *consultation.Ledger
	Logger    *slog.Logger
	Tracer    trace.Tracer
	Meter     metric.Meter
	Now       func() time.Time // default time.Now
	Notifier  Notifier         // tells receivers of push notifications; nil: there are none

	// Receiver returns the URL that the agent of an attempt announces to what becomes of the task; nil, or an empty URL: agents are asked instead.
	Receiver func(k orchestrator.Key, attempt int) string

	Rescan       time.Duration // how often unfinished tasks are looked for anew; default 60 s
	RetryDelay   time.Duration // before an agent that could not be reached is tried again, doubled each time; default 500 ms
	BreakerDelay time.Duration // how long an agent that could not be reached five times in a row is left alone; default 15 s
	MaxRunning   int           // runners at a time that are neither with agents nor look for evidence in trace backends; more tasks wait their turn; default 4,096
	MaxExchanges int           // tasks that are with agents at a time; more wait in line, and no agent gets more than it leaves to others; default 16,384

	Signatures registry.SignaturePolicy // whose cards are trusted; empty is verify-if-present

	Embedder router.Embedder // the second stage of routing by text; nil: there is none
	EmbedBox time.Duration   // how long a decision waits for it; default 150 ms
}

const (
	// DefaultExchanges is how many tasks are with agents at a time where nothing is said.
	DefaultExchanges = 16_384

	maxSends      = 8                // of one attempt to an agent that cannot be reached and has not accepted the work
	maxBackoff    = time.Minute      // between two of them
	maxRetryAfter = 10 * time.Minute // that an agent may ask for
	pollEvery     = 5 * time.Second  // a remote task whose stream ended before it did, at most
	pendingCheck  = 15 * time.Second // a gate that waits for an outcome
	maxLooks      = 64               // for evidence in trace backends at a time, each of which may hang
	storeRetry    = time.Second      // after a step failed because the store or the evidence was unavailable; doubled each time for other reasons of our own, up to maxBackoff
)

// Engine drives tasks. Its methods may be called by many goroutines; Run must be running for anything to move.
type Engine struct {
	Config
	meters   meters
	router   *router.Router
	breakers breakers
	budget   budget
	room     *room // by agent
	looks    *room // of gates for evidence in trace backends, by tenant
	outbox   *outbox

	signal chan struct{} // holds one token when pending may have work
	gained chan struct{} // holds one token when scans may have work
	next   chan func()   // takes a runner's work when a goroutine rests
	rest   atomic.Int64  // goroutines that do

	mu       sync.Mutex
	scans    map[int]scan                                    // guarded by mu; by group that is held
	nextScan time.Time                                       // guarded by mu; no group is due before
	pending  map[orchestrator.Key]bool                       // guarded by mu; tasks to start a runner for; whether anything happened, or they are only looked at anew
	runners  map[orchestrator.Key]*runner                    // guarded by mu
	timers   map[orchestrator.Key]alarm                      // guarded by mu; wake-ups of tasks that wait
	watchers map[orchestrator.Key]map[chan struct{}]struct{} // guarded by mu
	fresh    map[orchestrator.Key]uint64                     // guarded by mu; accepted with the intent to send, under which epoch, and not sent yet
	troubled map[orchestrator.Key]int                        // guarded by mu; steps that failed one after the other, of tasks whose last one did
	stopped  bool                                            // guarded by mu; no timer is set any more
	crowded  bool                                            // guarded by mu; more are pending than may run
}

// runner is the goroutine that works on one task.
type runner struct {
	cancel context.CancelFunc
	done   chan struct{}
	group  int  // of the task, once it is read; -1 before
	failed bool // its last step did; of the runner's goroutine until it ends
	again  bool // something happened meanwhile: start anew when this one ends

	version uint64 // of the task as it was last read; of the runner's goroutine until it ends
	early   alarm  // that was to wake the task, and would have later; none when something happened
}

// alarm wakes a task of a group.
type alarm struct {
	timer   *time.Timer
	group   int
	version uint64 // of the task when it was set
	due     time.Time
}

// New returns an engine. It hears of new evidence through the ledger.
func New(c Config) (*Engine, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rescan <= 0 {
		c.Rescan = time.Minute
	}
	if c.RetryDelay <= 0 {
		c.RetryDelay = 500 * time.Millisecond
	}
	if c.BreakerDelay <= 0 {
		c.BreakerDelay = 15 * time.Second
	}
	if c.MaxRunning <= 0 {
		c.MaxRunning = 4096
	}
	if c.MaxExchanges <= 0 {
		c.MaxExchanges = DefaultExchanges
	}
	m, err := newMeters(c.Meter)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		Config:   c,
		meters:   m,
		breakers: breakers{delay: c.BreakerDelay},
		outbox:   newOutbox(c.Logger),
		signal:   make(chan struct{}, 1),
		gained:   make(chan struct{}, 1),
		next:     make(chan func()),
		scans:    make(map[int]scan),
		pending:  make(map[orchestrator.Key]bool),
		runners:  make(map[orchestrator.Key]*runner),
		timers:   make(map[orchestrator.Key]alarm),
		watchers: make(map[orchestrator.Key]map[chan struct{}]struct{}),
		fresh:    make(map[orchestrator.Key]uint64),
		troubled: make(map[orchestrator.Key]int),
	}
	e.room = newRoom(c.MaxExchanges, e.Wake, func(agent orchestrator.Key, in int) {
		c.Logger.Warn("an agent has as many tasks as it may have at a time; others wait for it",
			slog.String("tenant", agent.Tenant), slog.String("agent", agent.ID), slog.Int("tasks", in))
	})
	e.looks = newRoom(maxLooks, e.Wake, func(whose orchestrator.Key, in int) {
		c.Logger.Warn("as many gates of a tenant as may look for evidence in traces at a time do; others wait for them",
			slog.String("tenant", whose.Tenant), slog.Int("gates", in))
	})
	if err := e.meters.observe(c.Meter, e.room); err != nil {
		return nil, err
	}
	e.router = router.New(router.Config{Directory: c.Directory, Cut: e.breakers.open, Trusts: c.Signatures.Trusts, Now: c.Now, Embedder: c.Embedder, EmbedBox: c.EmbedBox})
	c.Ledger.OnChange(func(tenant, taskID string) { e.Wake(orchestrator.Key{Tenant: tenant, ID: taskID}) })
	return e, nil
}

// agentKey names the agent that a task is for.
func agentKey(t *orchestrator.Task) orchestrator.Key {
	return orchestrator.Key{Tenant: t.Tenant, ID: t.Agent}
}

// agent returns an agent with its status of now; an unknown one is fault NotFound. As with routes, only the directory is looked at, which hears what
// other processes did before there is said to be no such agent.
func (e *Engine) agent(ctx context.Context, tenant, name string) (registry.Agent, error) {
	if err := e.Directory.Refresh(ctx, tenant); err != nil {
		return registry.Agent{}, err
	}
	if a, ok := e.Directory.Agent(tenant, name); ok {
		return a, nil
	}
	if err := e.Directory.Sync(ctx, tenant); err != nil {
		return registry.Agent{}, err
	}
	if a, ok := e.Directory.Agent(tenant, name); ok {
		return a, nil
	}
	return registry.Agent{}, registry.Missing(registry.Key{Tenant: tenant, Name: name})
}

// update writes a change and tells those who watch the task.
func (e *Engine) update(ctx context.Context, k orchestrator.Key, change func(*orchestrator.Task) ([]orchestrator.Event, error)) (orchestrator.Task, error) {
	now := e.now()
	var before a2apb.TaskState
	t, err := e.Store.Update(ctx, k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
		before = t.State
		events, err := change(t)
		if err != nil {
			return nil, err
		}
		oblige(t, before, len(events))
		t.UpdateTime = now
		for i := range events {
			events[i].Time = now
		}
		return events, nil
	})
	if err == nil {
		e.notify(k)
		e.tellParent(&t, before)
		e.owed(&t)
	}
	return t, err
}

func (e *Engine) now() time.Time { return e.Now().UTC().Truncate(time.Microsecond) }

func keyOf(t *orchestrator.Task) orchestrator.Key {
	return orchestrator.Key{Tenant: t.Tenant, ID: t.ID}
}

// event is something that has just happened to t.
func event(t *orchestrator.Task, kind orchestrator.EventType, detail string) orchestrator.Event {
	return orchestrator.Event{Type: kind, State: t.State, Phase: t.Phase, Detail: detail}
}
