package router

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Directory is where agents are looked up, in memory; *registry.Directory is one. What it returns is shared and read-only.
type Directory interface {
	// Agent returns an agent with its status of now; ok is false when there is none.
	Agent(tenant, name string) (a registry.Agent, ok bool)
	// Peek is Agent without a copy: the agent has no status, which comes beside it.
	Peek(tenant, name string) (a *registry.Agent, s registry.Status, ok bool)
	// PeekAll is Peek for many, without those that are not there. See must not call the directory.
	PeekAll(tenant string, names iter.Seq[string], see func(a *registry.Agent, s registry.Status))
	// BySkill returns the names of the agents that have a skill, in order.
	BySkill(tenant, skill string) []string
	// Listing returns all agents, and Edition a number that is another one whenever a listing would be.
	Listing(tenant string) registry.Listing
	Edition(tenant string) uint64
	// Revision grows with everything that the directory hears of the tenant.
	Revision(tenant string) int64
	// Refresh has the directory know of everything that was done through this process, and Sync of what was done by any.
	Refresh(ctx context.Context, tenant string) error
	Sync(ctx context.Context, tenant string) error
}

// Config holds what a Router works with. Directory is required.
type Config struct {
	Directory    Directory
	Cut          func(tenant, agent string) bool    // whether an agent is left alone since it could not be reached lately; nil: none is
	Trusts       func(v registry.Verification) bool // whether an agent may get tasks whose card's signatures came to v; nil: all may
	Now          func() time.Time                   // default time.Now
	Intn         func(n int) int                    // a random number from 0 to n-1; default math/rand
	Embedder     Embedder                           // the second stage of routing by text; nil: there is none
	EmbedTimeout time.Duration                      // how long a decision waits for it; default 150 ms
}

// Router decides. Its methods may be called by many goroutines. Run should be running.
type Router struct {
	directory Directory
	cut       func(tenant, agent string) bool
	trusts    func(v registry.Verification) bool
	intn      func(n int) int
	signals   *signals
	library   *library
	second    *second // nil: there is none
	spare     spare
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
		c.Cut = func(string, string) bool { return false }
	}
	if c.Trusts == nil {
		c.Trusts = registry.SignaturesOff.Trusts
	}
	return &Router{
		directory: c.Directory, cut: c.Cut, trusts: c.Trusts, intn: c.Intn, signals: newSignals(c.Now), library: newLibrary(c.Directory), second: newSecond(c.Embedder, c.EmbedTimeout),
	}
}

// Result is a decision with the agent that was chosen. When no agent alone will do, Decision.Chain lists those that will one after the other.
type Result struct {
	Decision orchestrator.Decision
	Agent    registry.Agent // the zero value when nobody was chosen, or several
	Several  []Pick         // who was chosen when it was asked for several
}

// Pick is one of several that were chosen.
type Pick struct {
	Agent registry.Agent
	Skill string
}

// Resolve decides where a route leads. When it leads nowhere the error is a fault that says why, and so does Decision.Refused.
//
// It looks at nothing but the directory. Before it refuses it has the directory hear what other processes did: an agent that registered with
// one of them a moment ago is not unknown here. A chain is made of agents as they are: nothing looks at its links again.
func (r *Router) Resolve(ctx context.Context, tenant string, route orchestrator.Route) (Result, error) {
	if err := r.directory.Refresh(ctx, tenant); err != nil {
		return Result{}, err
	}
	known, indexes := r.directory.Revision(tenant), r.library.indexes(tenant) // before the decision: others may renew both at any time
	got, err := r.decide(ctx, tenant, route)
	if got.Decision.Refused == "" && (len(got.Decision.Chain) == 0 || indexes.view.current(r.directory, tenant)) {
		return got, err
	}
	if err := r.directory.Sync(ctx, tenant); err != nil {
		return Result{}, err
	}
	r.library.renew(tenant)
	if r.directory.Revision(tenant) != known || r.library.indexes(tenant) != indexes {
		return r.decide(ctx, tenant, route)
	}
	return got, err
}

// decide is Resolve with what is known.
func (r *Router) decide(ctx context.Context, tenant string, route orchestrator.Route) (Result, error) {
	versions, err := registry.ParseVersionRange(route.Version)
	if err != nil {
		return Result{}, err
	}
	f, err := r.find(ctx, tenant, route)
	if err != nil {
		return refused(orchestrator.Decision{}, err)
	}
	defer r.spare.put(f.candidates)
	if route.FanOut != nil || !versions.All() {
		f.chain = nil
	}
	fit := r.filter(tenant, f.candidates, route.Agent != "", versions, &f.rejected)
	if f.others != nil {
		f.others(&f.rejected)
	}
	d := orchestrator.Decision{Rejected: f.rejected.list, Omitted: f.rejected.omitted, Chain: f.chain}
	if len(fit) == 0 && len(f.chain) > 0 {
		return Result{Decision: d}, nil
	}
	if len(fit) == 0 {
		return refused(d, f.why(versions))
	}
	r.score(tenant, fit)
	if route.FanOut != nil {
		return fanOut(d, fit, *route.FanOut)
	}
	chosen := r.choose(fit)
	d.Chosen, d.Skill = fit[chosen].agent.Name, fit[chosen].skill
	listIn(&d, fit)
	return Result{Decision: d, Agent: fit[chosen].whole()}, nil
}

// listIn names the candidates in a decision, as far as it has room for them, and counts the rest.
func listIn(d *orchestrator.Decision, fit []*candidate) {
	d.Candidates = make([]orchestrator.Candidate, min(len(fit), maxListed))
	for i := range d.Candidates {
		c := fit[i]
		d.Candidates[i] = orchestrator.Candidate{Agent: c.agent.Name, Skill: c.skill, Score: c.score, Reasons: c.reasons}
	}
	d.Omitted += len(fit) - len(d.Candidates)
}

// refused is the answer when nobody was chosen. Trouble that is not the route's, such as a store that does not answer, is only returned.
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
