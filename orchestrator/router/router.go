package router

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Directory looks agents up in memory; *registry.Directory is one. What it returns is shared and read-only.
type Directory interface {
	// Agent returns an agent with its current status. If there is none, ok is false.
	Agent(tenant, name string) (a registry.Agent, ok bool)
	// Peek is Agent without a copy: the agent has no status, which is returned beside it.
	Peek(tenant, name string) (a *registry.Agent, s registry.Status, ok bool)
	// PeekAll calls see with what Peek returns for each of the named agents that exist. see must not call the directory.
	PeekAll(tenant string, names iter.Seq[string], see func(a *registry.Agent, s registry.Status))
	// BySkill returns the names of the agents that have a skill, sorted.
	BySkill(tenant, skill string) []string
	// Listing returns all agents of the tenant, and Edition a number that differs whenever the listing has changed.
	Listing(tenant string) registry.Listing
	Edition(tenant string) uint64
	// Revision increases with everything that the directory learns about the tenant.
	Revision(tenant string) int64
	// Refresh brings the directory up to date with everything done through this process, SyncStatuses with everything done by any process, which may have
	// renewed leases. That those were is no change of the revision; SyncStatuses reports it.
	Refresh(ctx context.Context, tenant string) error
	SyncStatuses(ctx context.Context, tenant string) (learned bool, err error)
}

// Config holds the dependencies and settings of a Router. Only Directory is required.
type Config struct {
	Directory    Directory
	Cut          func(tenant, agent string, heard time.Time) bool // whether an agent, last heard of then, is avoided because it could not be reached lately; nil: none is
	Trusts       func(v registry.Verification) bool               // whether an agent may get tasks, given the signature check of its card; nil: all may
	Speaks       func(card *agentcard.Card) bool                  // whether tasks can be sent to the agent with a card; nil: they can be to all
	Now          func() time.Time                                 // for what took how long, so that it must not be set back; nil is time.Now
	Intn         func(n int) int                                  // returns a random number from 0 to n-1; nil is math/rand
	Embedder     Embedder                                         // second stage of routing by text; nil: there is none
	EmbedTimeout time.Duration                                    // how long a decision waits for Embedder; default 150 ms
}

// Router decides routes. Its methods are safe for concurrent use. Run should be running.
type Router struct {
	directory   Directory
	cut         func(tenant, agent string, heard time.Time) bool
	trusts      func(v registry.Verification) bool
	speaks      func(card *agentcard.Card) bool
	intn        func(n int) int
	signals     *signals
	indexes     *indexCache
	secondStage *secondStage // nil when there is none
	pool        candidatePool
}

// New returns a router.
func New(c Config) *Router {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Intn == nil {
		c.Intn = rand.IntN
	}
	if c.Cut == nil {
		c.Cut = func(string, string, time.Time) bool { return false }
	}
	if c.Trusts == nil {
		c.Trusts = registry.SignaturesOff.Trusts
	}
	if c.Speaks == nil {
		c.Speaks = func(*agentcard.Card) bool { return true }
	}
	return &Router{
		directory: c.Directory, cut: c.Cut, trusts: c.Trusts, speaks: c.Speaks, intn: c.Intn, signals: newSignals(c.Now), indexes: newIndexCache(c.Directory, c.Now), secondStage: newSecondStage(c.Embedder, c.EmbedTimeout),
	}
}

// Result is a decision together with the chosen agent. If no single agent can do the task, Decision.Chain lists those that can do it one after the
// other.
type Result struct {
	Decision orchestrator.Decision
	Agent    registry.Agent // zero when no agent was chosen, or several
	Several  []Pick         // the chosen agents, when several were asked for
}

// Pick is one of several chosen agents.
type Pick struct {
	Agent registry.Agent
	Skill string
}

// Resolve decides where a route leads. If it leads nowhere, the error is a fault that says why, and so does Decision.Refused, which is empty if the
// route makes no sense.
//
// It uses only the directory. Before it refuses, it brings the directory up to date, because an agent may have registered with another process a
// moment ago, or renewed its lease there. A chain is made of the agents as they are now: its links are not checked again later.
//
// The agents in familiar, the most familiar first, have done earlier tasks of the same conversation: one of them that fits as well as the others is chosen.
func (r *Router) Resolve(ctx context.Context, tenant string, route orchestrator.Route, familiar ...string) (Result, error) {
	if err := r.directory.Refresh(ctx, tenant); err != nil {
		return Result{}, err
	}
	known, indexes := r.directory.Revision(tenant), r.indexes.indexes(tenant) // before the decision, since either may change at any time
	got, err := r.decide(ctx, tenant, route, familiar)
	if got.Decision.Refused == "" && (len(got.Decision.Chain) == 0 || indexes.view.current(r.directory, tenant)) {
		return got, err
	}
	learned, renewErr := r.Renew(ctx, tenant)
	if renewErr != nil {
		return Result{}, renewErr
	}
	if learned || r.directory.Revision(tenant) != known || r.indexes.indexes(tenant) != indexes {
		return r.decide(ctx, tenant, route, familiar)
	}
	return got, err
}

// Renew brings what decisions are made by up to date, with everything done by any process. It reports whether leases were renewed.
func (r *Router) Renew(ctx context.Context, tenant string) (learned bool, err error) {
	if learned, err = r.directory.SyncStatuses(ctx, tenant); err == nil {
		r.indexes.refresh(r.indexes.tenant(tenant))
	}
	return learned, err
}

// decide does the work of Resolve with what is known.
func (r *Router) decide(ctx context.Context, tenant string, route orchestrator.Route, familiar []string) (Result, error) {
	versions, err := registry.ParseVersionRange(route.Version)
	if err != nil {
		return Result{}, err
	}
	if err := checkFanOut(route); err != nil {
		return Result{}, err
	}
	f, err := r.find(ctx, tenant, route, versions)
	if err != nil {
		return refused(orchestrator.Decision{}, err)
	}
	defer r.pool.put(f.candidates)
	fit := r.filter(tenant, f.candidates, route.Agent != "", versions, &f.rejected)
	if f.rejectOthers != nil {
		f.rejectOthers(&f.rejected)
	}
	d := orchestrator.Decision{Rejected: f.rejected.list, Omitted: f.rejected.omitted, Chain: f.chain}
	if len(fit) == 0 && len(f.chain) > 0 {
		return Result{Decision: d}, nil
	}
	if len(fit) == 0 {
		return refused(d, f.refusalFor(versions))
	}
	r.score(fit)
	if route.FanOut != nil {
		return r.fanOut(d, fit, *route.FanOut)
	}
	if !stay(fit, familiar) {
		r.choose(fit, 1)
	}
	d.Chosen, d.Skill = fit[0].agent.Name, fit[0].skill
	listCandidates(&d, fit)
	return Result{Decision: d, Agent: fit[0].agentWithStatus()}, nil
}

// listCandidates adds the candidates to a decision, as far as it has room for them, and counts the others.
func listCandidates(d *orchestrator.Decision, fit []*candidate) {
	d.Candidates = make([]orchestrator.Candidate, min(len(fit), maxListed))
	for i := range d.Candidates {
		d.Candidates[i] = fit[i].explained()
	}
	d.Omitted += len(fit) - len(d.Candidates)
}

// refused returns the answer when no agent was chosen. An error that is not due to the route, such as an unavailable store, is only returned.
func refused(d orchestrator.Decision, err error) (Result, error) {
	switch f := fault.From(err); f.Kind {
	case fault.NotFound, fault.FailedPrecondition, fault.InvalidArgument:
		d.Refused = f.Message
	case fault.Unavailable:
		if f.Reason == ReasonNobody || f.Reason == ReasonTooFew {
			d.Refused = f.Message
		}
	default:
	}
	return Result{Decision: d}, err
}
