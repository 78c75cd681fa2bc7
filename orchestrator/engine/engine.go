package engine

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/admission"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/share"
	"github.com/quorate/quorate/registry"
)

// Engine drives tasks. Its methods are safe for concurrent use. Nothing moves unless Run is running.
type Engine struct {
	Config
	started      time.Time
	meters       meters
	router       *router.Router
	breakers     *admission.Breakers
	budget       admission.Budget
	exchanges    *admission.FairLimiter         // by agent
	holdings     *share.Bytes[orchestrator.Key] // by agent
	traceQueries *admission.FairLimiter         // for gates that query trace backends, by tenant
	outbox       *push.Outbox
	runners      *runners
	scans        scanSchedule
	fresh        freshTasks
	firstPolls   firstPolls
	asks         *share.Turns[orchestrator.Key] // of agents, to be asked for one of their tasks
	watchers     watchers                       // of what is stored of tasks
	onlookers    watchers                       // of what agents deliver while they work
}

// maxTraceQueries bounds the queries of trace backends at a time, each of which may hang.
const maxTraceQueries = 64

// New returns an engine and subscribes it to new evidence from the ledger.
func New(c Config) (*Engine, error) {
	c = c.withDefaults()
	m, err := newMeters(c.Meter)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		Config:   c,
		meters:   m,
		started:  c.Now(),
		breakers: admission.NewBreakers(c.BreakerDelay, c.Now),
		scans:    scanSchedule{every: c.Rescan, gained: make(chan struct{}, 1)},
		asks:     share.NewTurns[orchestrator.Key](maxAsks),
	}
	e.runners = newRunners(e)
	e.exchanges = admission.NewFairLimiter(c.MaxExchanges, e.Wake, func(agent orchestrator.Key, in int) {
		c.Logger.Warn("an agent has as many tasks as it may have at a time; others wait for it",
			slog.String("tenant", agent.Tenant), slog.String("agent", agent.ID), slog.Int("tasks", in))
	})
	e.holdings = newHoldings(c.MaxExchanges)
	e.traceQueries = admission.NewFairLimiter(maxTraceQueries, e.Wake, func(whose orchestrator.Key, in int) {
		c.Logger.Warn("as many gates of a tenant as may look for evidence in traces at a time do; others wait for them",
			slog.String("tenant", whose.Tenant), slog.Int("gates", in))
	})
	if err := e.meters.observe(c.Meter, e.exchanges); err != nil {
		return nil, err
	}
	e.outbox = push.NewOutbox(push.OutboxConfig{Notifier: c.Notifier, Store: c.Store, Update: e.update, Held: e.holds, Now: e.now, Logger: c.Logger})
	e.router = router.New(router.Config{Directory: c.Directory, Cut: e.breakers.IsOpen, Trusts: c.Signatures.Trusts, Speaks: c.Speaks, Embedder: c.Embedder, EmbedTimeout: c.EmbedTimeout})
	c.Ledger.OnChange(func(tenant, taskID string) { e.Wake(orchestrator.Key{Tenant: tenant, ID: taskID}) })
	return e, nil
}

// Run takes leases and works on the tasks under them until ctx ends: first on unfinished ones, then on those that Wake names. It returns when every
// runner has stopped and the leases are free; whoever holds them next continues what is unfinished.
func (e *Engine) Run(ctx context.Context) error {
	held, letGo := context.WithCancel(context.WithoutCancel(ctx))
	var keeping sync.WaitGroup
	keeping.Go(func() { e.Leases.Run(held, leaseWorker{e}) })
	defer keeping.Wait()
	defer letGo()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { e.router.Run(ctx) })
	running.Go(func() { e.outbox.Run(ctx) })
	running.Go(func() { e.runScans(ctx) })
	e.runners.run(ctx)
	return nil
}

// agentKey returns the key of the agent to which a task goes.
func agentKey(t *orchestrator.Task) orchestrator.Key {
	return orchestrator.Key{Tenant: t.Tenant, ID: t.Agent}
}

// agent returns an agent with its current status. Like routing, it uses the directory only. Before it returns a NotFound fault, it brings the
// directory up to date with changes by other processes.
func (e *Engine) agent(ctx context.Context, tenant, name string) (registry.Agent, error) {
	if err := e.Directory.Refresh(ctx, tenant); err != nil {
		return registry.Agent{}, err
	}
	if a, ok := e.Directory.Agent(tenant, name); ok {
		return a, nil
	}
	if _, err := e.Directory.SyncStatuses(ctx, tenant); err != nil {
		return registry.Agent{}, err
	}
	if a, ok := e.Directory.Agent(tenant, name); ok {
		return a, nil
	}
	return registry.Agent{}, registry.Missing(registry.Key{Tenant: tenant, Name: name})
}

func (e *Engine) now() time.Time { return e.Now().UTC().Truncate(time.Microsecond) }
