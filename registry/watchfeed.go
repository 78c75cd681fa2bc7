package registry

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxFeed is how many of a tenant's latest events are kept for its watchers, and maxFeedCards the total size of their cards in bytes.
	maxFeed      = 1000
	maxFeedCards = 8 << 20
)

// feeds let all watchers of a tenant share one reader of its log. The zero value is ready.
type feeds struct {
	mu      sync.Mutex
	tenants map[string]*feed // guarded by mu; only those with watchers
}

// feed has a tenant's latest events for its watchers. Each takes them at its own pace, so a slow one holds up nobody; one that needs older events
// reads the log itself.
type feed struct {
	tenant   string
	watchers int           // guarded by feeds.mu
	stop     func()        // ends the reader
	stopped  chan struct{} // closed when the reader has ended

	mu     sync.Mutex
	after  int64         // guarded by mu, as is all below: the revision before the first event
	events []Event       // without gaps
	cards  int           // their size in bytes, those of one agent counted with each event
	err    error         // why the reader ended
	next   chan struct{} // closed when events or err change
}

// follow returns the feed of a tenant, which begins behind revision unless somebody follows it already. The caller must call leave at last.
func (r *Registry) follow(ctx context.Context, tenant string, revision int64) (f *feed, leave func()) {
	r.feeds.mu.Lock()
	defer r.feeds.mu.Unlock()
	if f = r.feeds.tenants[tenant]; f == nil {
		reading, stop := context.WithCancel(context.WithoutCancel(ctx)) // it reads for others too, and ends with the last of them
		f = &feed{tenant: tenant, stop: stop, stopped: make(chan struct{}), after: revision, next: make(chan struct{})}
		if r.feeds.tenants == nil {
			r.feeds.tenants = make(map[string]*feed)
		}
		r.feeds.tenants[tenant] = f
		go r.runFeed(reading, f)
	}
	f.watchers++
	return f, func() { r.feeds.leave(f) }
}

func (s *feeds) leave(f *feed) {
	s.mu.Lock()
	f.watchers--
	last := f.watchers == 0
	if last {
		s.drop(f)
	}
	s.mu.Unlock()
	if last {
		f.stop()
		<-f.stopped
	}
}

// drop lets the tenant's next watcher begin a new feed. The caller must hold mu.
func (s *feeds) drop(f *feed) {
	if s.tenants[f.tenant] == f {
		delete(s.tenants, f.tenant)
	}
}

// runFeed reads the log until ctx ends or the log cannot be read.
func (r *Registry) runFeed(ctx context.Context, f *feed) {
	defer close(f.stopped)
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	bell := r.written.tenant(f.tenant)
	for {
		rung := bell.wait() // before the log is read, so that no change is missed
		if err := r.readFeed(ctx, f); err != nil {
			r.feeds.mu.Lock()
			r.feeds.drop(f)
			r.feeds.mu.Unlock()
			f.fail(err)
			return
		}
		select {
		case <-rung:
		case <-poll.C:
		case <-ctx.Done():
			return
		}
	}
}

// readFeed adds to the feed what is new in the log.
func (r *Registry) readFeed(ctx context.Context, f *feed) error {
	for {
		events, err := r.changes(ctx, f.tenant, f.head())
		if err != nil || len(events) == 0 {
			return err
		}
		f.add(events)
	}
}

// changes returns at most watchChunk changes of the tenant behind a revision, with the states of their agents.
func (r *Registry) changes(ctx context.Context, tenant string, after int64) ([]Event, error) {
	entries, err := r.log.Changes(ctx, tenant, after, watchChunk)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	stateless := func(e Entry) bool { return e.Type == ChangeDeleted || e.Type == ChangeMapping }
	var names []string
	for _, e := range entries {
		if !stateless(e) {
			names = append(names, e.Agent)
		}
	}
	states, err := r.named(ctx, tenant, names)
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(entries))
	for i, e := range entries {
		events[i].Entry = e
		if !stateless(e) { // an agent that is deleted meanwhile has no state, and a later entry
			events[i].State = states[e.Agent]
		}
	}
	return events, nil
}

// head returns the revision of the last event.
func (f *feed) head() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.after + int64(len(f.events))
}

// add appends events, drops the oldest beyond the limits, and wakes the watchers.
func (f *feed) add(events []Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, events...)
	for i := range events {
		f.cards += events[i].size()
	}
	drop := 0
	for len(f.events)-drop > maxFeed || f.cards > maxFeedCards {
		f.cards -= f.events[drop].size()
		drop++
	}
	f.after += int64(drop)
	f.events = slices.Delete(f.events, 0, drop)
	f.wake()
}

func (f *feed) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	f.wake()
}

// wake tells the watchers that there is news. The caller must hold mu.
func (f *feed) wake() {
	close(f.next)
	f.next = make(chan struct{})
}

// behind returns at most watchChunk events behind a revision that the log has reached, and what is closed when there are more. If not all of them are
// kept any more, kept is false.
func (f *feed) behind(revision int64) (events []Event, kept bool, next <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if revision < f.after {
		return nil, false, f.next, f.err
	}
	at := min(revision-f.after, int64(len(f.events))) // the log may be ahead of the feed
	rest := f.events[at:]
	return slices.Clone(rest[:min(len(rest), watchChunk)]), true, f.next, f.err
}

// size returns the size of the event's card in bytes.
func (e *Event) size() int {
	if e.State == nil {
		return 0
	}
	return len(e.State.RawCard)
}
