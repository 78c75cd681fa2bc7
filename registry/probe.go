package registry

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	// probeWorkers is how many agents are probed at a time. Most of that time is waiting: a round over ten thousand agents that answer within a tenth of
	// a second takes 15 s; of agents that never answer, about 200 are probed in that time.
	probeWorkers = 64

	probeInterval = 15 * time.Second // between two probes of an agent; well below the default of Options.LeaseDuration, so that one may be lost
	probeRetry    = time.Second      // after a failure of the store: when it is back, all leases may have run out
)

// RunProber reads the cards of agents that have no live lease of their own, every 15 seconds and once right after a registration, until ctx ends;
// then it returns nil. An agent that answers with its own card gets a probe lease for LeaseDuration; for an agent that does not, the last lease just
// runs out. RunProber takes the agents and their leases from the Directory, so Directory.Run must run too.
func (r *Registry) RunProber(ctx context.Context) error {
	if r.client == nil {
		<-ctx.Done()
		return nil
	}
	jobs := make(chan Key)
	var group sync.WaitGroup
	for range probeWorkers {
		group.Go(func() { r.probeWorker(ctx, jobs) })
	}
	r.feedProbes(ctx, jobs)
	group.Wait()
	return nil
}

// feedProbes gives the workers every agent that needs a probe, once per interval. A round that takes longer is cut short: agents that answered lately
// come first, so that many dead ones cannot make them look dead too, and the dead ones come in a new order each time. A round for which the store gave no
// agents is repeated soon.
func (r *Registry) feedProbes(ctx context.Context, jobs chan<- Key) {
	ticker := time.NewTicker(probeInterval)
	defer ticker.Stop()
	for failures := 0; ; {
		keys, err := r.probeCandidates(ctx)
		failures = r.countUnread(ctx, failures, err)
		var again <-chan time.Time
		if err != nil && len(keys) == 0 {
			again = time.After(probeRetry)
		}
		ticked := false
		for i := 0; i < len(keys) && !ticked; i++ {
			select {
			case jobs <- keys[i]:
			case <-ticker.C:
				ticked = true
				r.logger.WarnContext(ctx, "probe round cut short", slog.Int("left_out", len(keys)-i))
			case <-ctx.Done():
				return
			}
		}
		if ticked {
			continue
		}
		select {
		case <-ticker.C:
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// countUnread returns how many times in a row the agents to probe could not be read.
func (r *Registry) countUnread(ctx context.Context, failures int, err error) int {
	if err == nil {
		return 0
	}
	if failures++; fault.Logged(failures) && ctx.Err() == nil {
		r.logger.ErrorContext(ctx, "agents to probe not read", slog.Int("times", failures), slog.Any("error", err))
	}
	return failures
}

// probeCandidates returns the agents without a live lease of their own: first those that answered lately, then the others.
func (r *Registry) probeCandidates(ctx context.Context) ([]Key, error) {
	var up, down []Key
	now := r.now()
	err := r.directory.every(ctx, maxUnasked, func(a *Agent, p Pulse) {
		switch {
		case p.beating(now) || probeURL(a) == "":
		case p.answering(now):
			up = append(up, a.Key())
		default:
			down = append(down, a.Key())
		}
	})
	rand.Shuffle(len(down), func(i, j int) { down[i], down[j] = down[j], down[i] }) //nolint:gosec // not a secret
	return append(up, down...), err
}

// probeSoon has a new agent probed at once. If too many agents are new, the next round probes it.
func (r *Registry) probeSoon(key Key) {
	select {
	case r.fresh <- key:
	default:
	}
}

func (r *Registry) probeWorker(ctx context.Context, jobs <-chan Key) {
	for {
		var key Key
		select {
		case key = <-r.fresh:
		case key = <-jobs:
		case <-ctx.Done():
			return
		}
		if err := r.probe(ctx, key); err != nil && ctx.Err() == nil {
			r.logger.DebugContext(ctx, "probe not answered", slog.String("agent", key.Name), slog.Any("error", err))
		}
	}
}

// probe reads the card at the agent's URL and, if it is the agent's card, renews the probe lease.
func (r *Registry) probe(ctx context.Context, key Key) error {
	a, err := r.knownAgent(ctx, key)
	if err != nil {
		return err
	}
	uri := probeURL(a)
	if uri == "" {
		return nil
	}
	asked := r.now().UTC()
	fetched, err := r.FetchCard(ctx, uri, Validators{})
	if err != nil {
		return err
	}
	card, _, _, err := agentcard.ParseFor(fetched.RawCard, key.Name)
	if err != nil {
		return fmt.Errorf("reading the card at %s: %w", uri, err)
	}
	if card.Name != a.Card.Name {
		return fmt.Errorf("the card at %s is that of %q", uri, fault.Clip(card.Name))
	}
	return r.renewProbeLease(ctx, key, asked)
}

// renewProbeLease renews the probe lease of an agent that has answered.
func (r *Registry) renewProbeLease(ctx context.Context, key Key, asked time.Time) error {
	return r.store.UpdatePulse(ctx, key, func(p Pulse) (Pulse, error) {
		p.answered(asked, r.leaseDuration)
		return p, nil
	})
}

// probeURL returns the URL at which to probe the agent: where its card was read or, for an inline card, the well-known path at the origin of its
// first HTTP interface. It is empty for an agent with gRPC interfaces only.
func probeURL(a *Agent) string {
	if a.CardURI != "" {
		return a.CardURI
	}
	for _, i := range a.Card.Interfaces {
		u, err := url.Parse(i.URL)
		if i.Binding != agentcard.BindingGRPC && err == nil && strings.HasPrefix(u.Scheme, "http") {
			return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: wellKnownPath}).String()
		}
	}
	return ""
}
