package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"github.com/quorate/quorate/platform/pause"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// Options are the dependencies and settings of a Discoverer.
type Options struct {
	Sources []Source
	Client  *http.Client // reads catalogs; must refuse non-public addresses. Required when there are catalogs
	Logger  *slog.Logger // nil discards
}

// Discoverer finds agents in sources.
type Discoverer struct {
	registry *registry.Registry
	client   *http.Client
	logger   *slog.Logger
	sources  []*reader
}

// New returns a Discoverer that registers what it finds with r.
func New(r *registry.Registry, o Options) (*Discoverer, error) {
	d := &Discoverer{registry: r, client: o.Client, logger: o.Logger}
	if d.logger == nil {
		d.logger = slog.New(slog.DiscardHandler)
	}
	if len(o.Sources) > maxSources {
		return nil, invalid("sources", "there are %d sources; the most is %d", len(o.Sources), maxSources)
	}
	for _, s := range o.Sources {
		if err := s.Validate(); err != nil {
			return nil, err
		}
		if s.Catalog != "" && o.Client == nil {
			return nil, errors.New("a client is needed to read catalogs")
		}
		s.URLs = slices.Compact(slices.Sorted(slices.Values(s.URLs))) // each has one state, which one read at a time may change
		if s.Folder != "" {
			s.Folder = filepath.Clean(s.Folder)
		}
		d.sources = append(d.sources, &reader{Discoverer: d, source: s, states: make(map[string]*state), owners: make(map[string]*state)})
	}
	return d, nil
}

// Run reads every source at once and then on its own schedule, with jitter, until ctx ends; then it returns nil.
func (d *Discoverer) Run(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() {
		for !d.markForgotten(ctx) && ctx.Err() == nil {
			_ = pause.For(ctx, usualInterval)
		}
	})
	for _, r := range d.sources {
		group.Go(func() { r.run(ctx) })
	}
	group.Wait()
	<-ctx.Done()
	return nil
}

// reader reads one source. Only one read runs at a time.
type reader struct {
	*Discoverer
	source   Source
	failures int // failed reads of the source itself, in a row

	mu     sync.Mutex
	states map[string]*state // guarded by mu; by card URL or file name
	owners map[string]*state // guarded by mu; by agent
}

// state is what is known about one card in a source. It is kept in memory only.
type state struct {
	validators registry.Validators
	name       string // of the agent, once it was read
	hash       string // of the agent's latest version then
	failures   int    // in a row
	said       string // the last refusal that was logged
	rank       int    // guarded by mu of reader; where it stands in the source, as last read
}

func (r *reader) run(ctx context.Context) {
	for ctx.Err() == nil {
		r.read(ctx)
		every := r.source.interval()
		_ = pause.For(ctx, every-every/10+rand.N(every/5+1)) //nolint:gosec // not a secret
	}
}

// read reads the source once.
func (r *reader) read(ctx context.Context) {
	switch {
	case r.source.Folder != "":
		r.readFolder(ctx)
	case r.source.Catalog != "":
		r.readCatalog(ctx)
	default:
		r.readURLs(ctx)
	}
}

func (r *reader) state(id string) *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.states[id]
	if s == nil {
		s = &state{}
		r.states[id] = s
	}
	return s
}

// rank notes the order of the cards of the source.
func (r *reader) rank(ids []string) {
	for i, id := range ids {
		s := r.state(id)
		r.mu.Lock()
		s.rank = i
		r.mu.Unlock()
	}
}

// forget drops the states of cards that are no longer in the source.
func (r *reader) forget(keep func(id string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, s := range r.states {
		if !keep(id) {
			delete(r.states, id)
			if r.owners[s.name] == s {
				delete(r.owners, s.name)
			}
		}
	}
}

// claim makes a card the one that counts for its agent, or returns an error if another card is. Otherwise two cards of one agent in one source would
// take turns. It is the first one in the source, whichever was read first: that is another one for each replica.
func (r *reader) claim(s *state, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owners[s.name] == s { // even if the card gets no other agent, which may be that of a card that waits for this one's
		delete(r.owners, s.name)
	}
	if owner := r.owners[name]; owner != nil && owner != s && owner.rank <= s.rank {
		return fmt.Errorf("the source has another card of agent %q, which comes first", name)
	}
	r.owners[name] = s
	return nil
}

// card registers a card that was found at a place in its source, and notes the result in its state.
func (r *reader) card(ctx context.Context, s *state, place string, f registry.Found) {
	read, _, _, err := agentcard.Parse(f.RawCard)
	if err == nil {
		err = r.claim(s, read.Name)
	}
	if err != nil {
		r.failed(ctx, s, place, err)
		return
	}
	agent, warnings, err := r.registry.Discover(ctx, r.source.tenant(), f)
	if err != nil {
		r.failed(ctx, s, place, err)
		return
	}
	if s.name != agent.Name || s.failures > 0 {
		r.logger.InfoContext(ctx, "agent found", slog.String("agent", agent.Name), slog.String("source", f.Source.Location), slog.Int("warnings", len(warnings)))
	}
	s.name, s.hash, s.failures, s.said = agent.Name, agent.LatestHash, 0, ""
}

// failed notes that a card could not be read, and logs the reason once.
func (r *reader) failed(ctx context.Context, s *state, place string, err error) {
	if ctx.Err() != nil {
		return
	}
	s.failures++
	if why := err.Error(); why != s.said {
		s.said = why
		r.logger.WarnContext(ctx, "agent of a source not taken", slog.String("card", place), slog.String("agent", s.name), slog.Any("error", err))
	}
}

// inTurns calls work for each id, several at a time.
func inTurns(ctx context.Context, ids []string, work func(id string)) {
	const workers = 8
	jobs := make(chan string)
	var group sync.WaitGroup
	for range min(workers, len(ids)) {
		group.Go(func() {
			for id := range jobs {
				work(id)
			}
		})
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		jobs <- id
	}
	close(jobs)
	group.Wait()
}
