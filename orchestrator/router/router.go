package router

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Directory is where agents are looked up. What it returns is read-only.
type Directory interface {
	// Agent returns an agent with its status of now; an unknown one is fault NotFound.
	Agent(ctx context.Context, tenant, name string) (registry.Agent, error)
	// AgentsBySkill returns agents that have a skill in order of name, after one of them.
	AgentsBySkill(ctx context.Context, tenant, skill, after string, limit int) ([]registry.Agent, error)
	// Agents returns agents in order of name, after one of them.
	Agents(ctx context.Context, tenant, after string, limit int) ([]registry.Agent, error)
}

// Config holds what a Router works with. Directory is required.
type Config struct {
	Directory Directory
	Now       func() time.Time // default time.Now
	Intn      func(n int) int  // a random number from 0 to n-1; default math/rand
}

// Router decides. Its methods may be called by many goroutines. Run should be running.
type Router struct {
	directory Directory
	intn      func(n int) int
	signals   *signals
	library   *library
}

// New returns a router.
func New(c Config) *Router {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Intn == nil {
		c.Intn = rand.IntN
	}
	return &Router{directory: c.Directory, intn: c.Intn, signals: newSignals(c.Now), library: newLibrary()}
}

// Result is a decision with the agent that was chosen.
type Result struct {
	Decision orchestrator.Decision
	Agent    registry.Agent // the zero value when nobody was chosen
}

const (
	pageSize  = 1000
	maxListed = 100 // candidates in a decision, and as many rejections
)

// Resolve decides where a route leads. When it leads nowhere the error is a fault that says why, and so does Decision.Refused.
func (r *Router) Resolve(ctx context.Context, tenant string, route orchestrator.Route) (Result, error) {
	f, err := r.find(ctx, tenant, route)
	if err != nil {
		return refused(orchestrator.Decision{}, err)
	}
	fit, rejected := filter(f.candidates, route.Agent != "")
	d := orchestrator.Decision{Rejected: append(f.rejected, rejected...), Omitted: f.omitted, Chain: f.chain}
	if len(fit) == 0 {
		err := f.refusal
		if err == nil {
			err = nobody(d.Rejected)
		}
		return refused(d, err)
	}
	r.score(tenant, fit)
	chosen := r.choose(fit)
	d.Chosen, d.Skill = fit[chosen].agent.Name, fit[chosen].skill
	for _, c := range fit {
		d.Candidates = append(d.Candidates, orchestrator.Candidate{Agent: c.agent.Name, Skill: c.skill, Score: c.score, Reasons: c.reasons})
	}
	return Result{Decision: shorten(d), Agent: fit[chosen].agent}, nil
}

// refused is the answer when nobody was chosen. Trouble that is not the route's, such as a store that does not answer, is only returned.
func refused(d orchestrator.Decision, err error) (Result, error) {
	switch f := fault.From(err); f.Kind {
	case fault.NotFound, fault.FailedPrecondition, fault.InvalidArgument:
		d.Refused = f.Message
	case fault.Unavailable:
		if f.Reason == ReasonNobody {
			d.Refused = f.Message
		}
	default:
	}
	return Result{Decision: shorten(d)}, err
}

// nobody says of each agent that was looked at why it cannot take the task.
func nobody(rejected []orchestrator.Rejection) error {
	var why []string
	for _, x := range rejected[:min(len(rejected), 10)] {
		why = append(why, x.Agent+": "+x.Reason)
	}
	if n := len(rejected) - len(why); n > 0 {
		why = append(why, fmt.Sprintf("and %d more", n))
	}
	return fault.New(fault.Unavailable, ReasonNobody, "no agent can take the task: %s", strings.Join(why, "; "))
}

// shorten bounds what a decision lists.
func shorten(d orchestrator.Decision) orchestrator.Decision {
	if n := len(d.Candidates); n > maxListed {
		d.Candidates, d.Omitted = d.Candidates[:maxListed:maxListed], d.Omitted+n-maxListed
	}
	if n := len(d.Rejected); n > maxListed {
		d.Rejected, d.Omitted = d.Rejected[:maxListed:maxListed], d.Omitted+n-maxListed
	}
	return d
}
