package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	watchChunk = 100
	// watchPoll is how soon a change that another replica made is seen; those of this process ring the bell.
	watchPoll = 500 * time.Millisecond
	// watchQuiet is how long a watch says nothing before it says where it is.
	watchQuiet = 15 * time.Second
	// watchSlow is how long a watcher may take for one event.
	watchSlow = 10 * time.Second
)

// What an event of a watch can be besides a change.
const (
	EventSnapshot = "snapshot" // an agent as it is at the beginning
	EventBookmark = "bookmark" // nothing but a revision
)

// Event is what a watcher is told.
type Event struct {
	Entry
	State *Agent // as it is now, which may be newer than the entry; nil when it is gone, and for bookmarks and mappings
}

// WatchOptions say where a watch starts and when it ends.
type WatchOptions struct {
	Revision     *int64        // continue behind it; nil begins with a snapshot and a bookmark
	SkipSnapshot bool          // with no revision: begin with the bookmark
	Wait         time.Duration // end when something was told, or with a bookmark after this time; 0 is no end
}

// Watch calls each for every change of the tenant, in the order of the log, with no gap and none twice, until ctx ends, each returns an
// error or the options say so. All calls come from the caller's goroutine, one after the other.
//
// A revision that is not kept is the fault of RevisionGone. A watcher that needs more than ten seconds for an event is ended with
// an Unavailable fault with the reason WATCH_SLOW, whose metadata has the revision to resume from.
func (r *Registry) Watch(ctx context.Context, tenant string, o WatchOptions, each func(Event) error) error {
	if r.log == nil {
		return unsupported("log of changes")
	}
	w := &watcher{registry: r, tenant: tenant, each: each}
	if o.Wait > 0 {
		end := time.NewTimer(o.Wait)
		defer end.Stop()
		w.end = end.C
	}
	if o.Revision != nil {
		w.revision, w.placed = *o.Revision, true
		return w.follow(ctx)
	}
	if err := w.snapshot(ctx, o.SkipSnapshot); err != nil || o.Wait > 0 {
		return err
	}
	return w.follow(ctx)
}

// watcher is one watch under way.
type watcher struct {
	registry *Registry
	tenant   string
	each     func(Event) error
	end      <-chan time.Time // of a long poll; nil is never
	revision int64            // that was told
	placed   bool             // revision means something
}

// snapshot tells all agents, unless they are skipped, and where the log is. The revision is read first: what changes meanwhile is told again as
// a change.
func (w *watcher) snapshot(ctx context.Context, skip bool) error {
	head, err := w.registry.log.Head(ctx, w.tenant)
	if err != nil {
		return err
	}
	if !skip {
		if err := w.registry.everyAgent(ctx, w.tenant, watchChunk, func(records []Record) error { return w.states(ctx, records) }); err != nil {
			return err
		}
	}
	w.revision, w.placed = head, true
	return w.bookmark()
}

// states tells agents as they are at the beginning.
func (w *watcher) states(ctx context.Context, records []Record) error {
	agents, err := w.registry.withStatus(ctx, records)
	if err != nil {
		return err
	}
	for i := range agents {
		entry := Entry{Type: EventSnapshot, Agent: agents[i].Name, Time: agents[i].UpdateTime}
		if err := w.tell(Event{Entry: entry, State: &agents[i]}); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) bookmark() error {
	return w.tell(Event{Entry: Entry{Revision: w.revision, Type: EventBookmark, Time: w.registry.now().UTC()}})
}

// follow tells the changes behind the revision.
func (w *watcher) follow(ctx context.Context) error {
	poll, quiet := time.NewTicker(watchPoll), time.NewTicker(watchQuiet)
	defer poll.Stop()
	defer quiet.Stop()
	for {
		rung := w.registry.bell.wait() // before the log is read, so that no change falls in between
		entries, err := w.registry.log.Changes(ctx, w.tenant, w.revision, watchChunk)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			if err := w.changes(ctx, entries); err != nil || w.end != nil {
				return err
			}
			quiet.Reset(watchQuiet)
			continue
		}
		select {
		case <-rung:
		case <-poll.C:
		case <-quiet.C:
			err = w.bookmark()
		case <-w.end:
			return w.bookmark()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
}

func (w *watcher) changes(ctx context.Context, entries []Entry) error {
	for _, entry := range entries {
		event := Event{Entry: entry}
		if entry.Type != ChangeDeleted && entry.Type != ChangeMapping {
			agent, err := w.registry.Agent(ctx, w.tenant, entry.Agent)
			switch {
			case err == nil:
				event.State = &agent
			case fault.KindOf(err) != fault.NotFound: // what is gone meanwhile has an entry behind this one
				return err
			}
		}
		if err := w.tell(event); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) tell(event Event) error {
	begin := w.registry.now()
	if err := w.each(event); err != nil {
		return err
	}
	if event.Revision > 0 {
		w.revision = event.Revision
	}
	if w.registry.now().Sub(begin) <= watchSlow {
		return nil
	}
	slow := fault.New(fault.Unavailable, "WATCH_SLOW", "the watcher took more than %s for one event; it may resume where it was", watchSlow)
	if w.placed {
		slow = slow.With("revision", strconv.FormatInt(w.revision, 10))
	}
	return slow
}

// RunSweeper tells the change log of statuses that changed because time passed, until ctx ends: a lease that ran out is nobody's
// write. It writes Pulse.Announced and nothing that it reads. It also checks the signatures of cards that were taken while no signature was looked at, by this
// server or a replica with another policy. It returns nil when ctx ends.
func (r *Registry) RunSweeper(ctx context.Context) error {
	ticker := time.NewTicker(max(r.leaseDuration/6, time.Millisecond))
	defer ticker.Stop()
	var cards time.Time // when they are swept next
	for {
		sweep := r.sweepStatuses
		if now := r.now(); !now.Before(cards) {
			sweep, cards = r.Sweep, now.Add(maxSweep)
		}
		if err := sweep(ctx); err != nil && ctx.Err() == nil {
			r.logger.ErrorContext(ctx, "agents not swept", slog.Any("error", err))
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Sweep is one round of RunSweeper, with the cards.
func (r *Registry) Sweep(ctx context.Context) error {
	err := r.sweepStatuses(ctx)
	if r.signatures == SignaturesOff {
		return err
	}
	return errors.Join(err, r.sweepCards(ctx))
}

// sweepStatuses is the part of Sweep that looks at leases: those that are over as far as the directory knows are read.
func (r *Registry) sweepStatuses(ctx context.Context) error {
	var over []Key
	now := r.now()
	failed := []error{r.directory.every(ctx, func(a *Agent, p Pulse) {
		if p.At(now).Status != p.AnnouncedStatus() {
			over = append(over, a.Key())
		}
	})}
	for chunk := range slices.Chunk(over, maxLimit) {
		pulses, err := r.store.Pulses(ctx, chunk...)
		failed = append(failed, err, r.sweepPulses(ctx, pulses))
	}
	return errors.Join(failed...)
}

func (r *Registry) sweepPulses(ctx context.Context, pulses map[Key]Pulse) error {
	var failed []error
	now := r.now()
	for key, p := range pulses {
		if p.At(now).Status == p.AnnouncedStatus() {
			continue
		}
		err := r.store.UpdatePulse(ctx, key, func(p Pulse) (Pulse, error) { return p, nil })
		if err != nil && fault.KindOf(err) != fault.NotFound {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
