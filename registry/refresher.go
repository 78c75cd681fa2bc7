package registry

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	refreshWorkers = 8
	usualFresh     = 10 * time.Minute // how long a card counts whose server does not say
	minFresh       = time.Minute      // no card is read more often, whatever its server says
	maxFresh       = 24 * time.Hour   // or less often
	sweepInterval  = time.Minute      // between two looks at all cards
)

// cardWatch is what the refresher knows about one agent's card. It is kept in memory only: after a start each server is asked once without
// validators, spread over usualFresh.
type cardWatch struct {
	created    time.Time // of the agent, to recognize a later agent of the same name
	uri        string
	hash       string // of the agent's latest version when the validators were received
	validators Validators
	due        time.Time
	failures   int  // in a row
	seen       bool // in this sweep
}

// RunRefresher reads the cards that were registered by URL again, each when it is due, until ctx ends; then it returns nil. A card is due when the
// time in the server's Cache-Control is over, or else after ten minutes, with jitter; each failure in a row makes the wait longer. It sends the
// validators (ETag, Last-Modified) of the last answer.
//
// Agents of sources other than SourceAPI are left out: whoever found them reads them again.
func (r *Registry) RunRefresher(ctx context.Context) error {
	if r.client == nil {
		<-ctx.Done()
		return nil
	}
	watches := make(map[Key]*cardWatch)
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		due, err := r.dueCards(ctx, watches)
		if err != nil && ctx.Err() == nil {
			r.logger.ErrorContext(ctx, "agents to refresh not read", slog.Any("error", err))
		}
		r.refreshAll(ctx, due, watches)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// dueCards brings watches up to date and returns the agents whose cards are due.
func (r *Registry) dueCards(ctx context.Context, watches map[Key]*cardWatch) ([]Key, error) {
	var due []Key
	for _, w := range watches {
		w.seen = false
	}
	now := r.now()
	err := r.directory.every(ctx, maxUnasked, func(a *Agent, _ Pulse) {
		if a.CardURI == "" || a.Source.found() {
			return
		}
		w := watches[a.Key()]
		if w == nil || !w.created.Equal(a.CreateTime) || w.uri != a.CardURI {
			w = &cardWatch{created: a.CreateTime, uri: a.CardURI, due: now.Add(rand.N(usualFresh))} //nolint:gosec // not a secret
			watches[a.Key()] = w
		}
		if w.seen = true; !now.Before(w.due) {
			due = append(due, a.Key())
		}
	})
	if err != nil {
		return due, err
	}
	for key, w := range watches {
		if !w.seen {
			delete(watches, key)
		}
	}
	return due, nil
}

// refreshAll refreshes the agents, several at a time.
func (r *Registry) refreshAll(ctx context.Context, due []Key, watches map[Key]*cardWatch) {
	jobs := make(chan Key)
	var group sync.WaitGroup
	for range min(refreshWorkers, len(due)) {
		group.Go(func() {
			for key := range jobs {
				r.refreshOne(ctx, key, watches[key]) // each key occurs once, so no watch is shared
			}
		})
	}
	for _, key := range due {
		if ctx.Err() != nil {
			break
		}
		jobs <- key
	}
	close(jobs)
	group.Wait()
}

// refreshOne refreshes one card and sets when it is due again.
func (r *Registry) refreshOne(ctx context.Context, key Key, w *cardWatch) {
	fresh, err := r.refreshIfChanged(ctx, key, w)
	switch {
	case err == nil:
		w.failures = 0
		if fresh == 0 {
			fresh = usualFresh
		}
		fresh = min(max(fresh, minFresh), maxFresh)
	case ctx.Err() != nil, fault.KindOf(err) == fault.NotFound, fault.KindOf(err) == fault.Conflict:
		return // the process ends, or the agent was deleted or has another URL
	default:
		fresh = maxFresh
		if w.failures < 16 { // so that the shift stays within bounds
			fresh = min(usualFresh<<w.failures, maxFresh)
		}
		w.failures++
		r.logger.WarnContext(ctx, "card not refreshed", slog.String("agent", key.Name), slog.String("tenant", key.Tenant),
			slog.Int("times", w.failures), slog.Any("error", err))
	}
	w.due = r.now().Add(fresh - fresh/10 + rand.N(fresh/5+1)) //nolint:gosec // not a secret
}

// refreshIfChanged reads one agent's card unless the server says that it has not changed. It returns how long the answer is fresh according to the
// server.
func (r *Registry) refreshIfChanged(ctx context.Context, key Key, w *cardWatch) (time.Duration, error) {
	old, err := r.knownAgent(ctx, key)
	if err != nil {
		return 0, err
	}
	if old.CardURI != w.uri {
		return 0, old.changed()
	}
	if w.hash != old.LatestHash {
		w.validators = Validators{} // they belong to another card
	}
	asked := r.now().UTC()
	answer, err := r.fetch(ctx, w.uri, w.validators)
	if err != nil {
		return 0, err
	}
	if answer.RawCard != nil {
		agent, warnings, err := r.Once(Retry{}).replaceCard(ctx, key, fetchedCard{raw: answer.RawCard, uri: w.uri, from: w.uri}, nil)
		if err != nil {
			return 0, err // the validators stay those of a card that was taken, so that this one is read again
		}
		w.hash, w.validators = agent.LatestHash, answer.Validators
		if agent.LiveVersion == old.LiveVersion && agent.Pending.card() != nil && agent.Etag != old.Etag {
			r.logWaiting(ctx, &agent)
		} else if agent.LatestVersion != old.LatestVersion {
			r.logger.InfoContext(ctx, "card changed", slog.String("agent", key.Name), slog.String("tenant", key.Tenant),
				slog.Int64("version", agent.LatestVersion), slog.Int("warnings", len(warnings)))
		}
	}
	return answer.FreshFor, r.renewProbeLease(ctx, key, asked)
}
