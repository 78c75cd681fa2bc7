package registry

import (
	"context"
	"strconv"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	watchChunk = 100
	// watchPoll is the delay with which changes by other replicas are seen; those of this process are announced.
	watchPoll = 500 * time.Millisecond
	// watchQuiet is how long a watch stays silent before it sends a bookmark.
	watchQuiet = 15 * time.Second
	// watchSlow is how long a watcher may take for one event.
	watchSlow = 10 * time.Second
)

// Types of events besides those of changes.
const (
	EventSnapshot = "snapshot" // an agent as it is when the watch begins
	EventBookmark = "bookmark" // a revision and nothing else
)

// Event is what a watch reports.
type Event struct {
	Entry
	State *Agent // read after the change, so it may be newer than the entry; shared and read-only; nil for deleted agents, bookmarks and mappings
}

// WatchOptions say where a watch starts and when it ends.
type WatchOptions struct {
	Revision     *int64         // continue behind this revision; nil begins with a snapshot and a bookmark
	SkipSnapshot bool           // without a revision: begin with the bookmark
	Wait         *time.Duration // end after the first events, or with a bookmark after this time; nil watches without end
}

// Watch calls each for every change of the tenant, in the order of the log, without gaps or duplicates, until ctx ends, each returns an error, or the
// options say so. All calls come from the caller's goroutine, one after the other. The watches of a tenant share one reader of the log.
//
// A revision that is no longer kept is the fault of RevisionGone. A call of each that takes longer than ten seconds ends the watch with an
// Unavailable fault with the reason WATCH_SLOW, whose metadata has the revision to resume from.
func (r *Registry) Watch(ctx context.Context, tenant string, o WatchOptions, each func(Event) error) error {
	if r.log == nil {
		return unsupported("log of changes")
	}
	w := &watcher{registry: r, tenant: tenant, each: each}
	if o.Wait != nil {
		end := time.NewTimer(*o.Wait)
		defer end.Stop()
		w.end = end.C
	}
	if o.Revision != nil {
		w.revision, w.placed = *o.Revision, true
		return w.follow(ctx)
	}
	if err := w.snapshot(ctx, o.SkipSnapshot); err != nil || o.Wait != nil {
		return err
	}
	return w.follow(ctx)
}

// watcher is one watch in progress.
type watcher struct {
	registry *Registry
	tenant   string
	each     func(Event) error
	end      <-chan time.Time // of a long poll; nil for a watch without end
	revision int64            // the last one that was reported
	placed   bool             // revision is set
}

// snapshot reports all agents, unless they are skipped, and then the revision of the log. It reads the revision first: what changes meanwhile is
// reported again as a change.
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

// states reports agents as they are when the watch begins.
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

// follow reports the changes behind the revision: first from the log, to whose end it thereby gets, and then from the feed.
func (w *watcher) follow(ctx context.Context) error {
	for {
		events, err := w.registry.changes(ctx, w.tenant, w.revision)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		if err := w.changes(events); err != nil || w.end != nil {
			return err
		}
	}
	feed, leave := w.registry.follow(ctx, w.tenant, w.revision)
	defer leave()
	return w.take(ctx, feed)
}

// take reports the changes behind the revision as the feed gets them.
func (w *watcher) take(ctx context.Context, f *feed) error {
	quiet := time.NewTicker(watchQuiet)
	defer quiet.Stop()
	for {
		events, kept, next, err := f.behind(w.revision)
		if err == nil && !kept {
			events, err = w.registry.changes(ctx, w.tenant, w.revision)
		}
		if err != nil {
			return err
		}
		if len(events) > 0 {
			if err := w.changes(events); err != nil || w.end != nil {
				return err
			}
			quiet.Reset(watchQuiet)
			continue
		}
		select {
		case <-next:
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

func (w *watcher) changes(events []Event) error {
	for _, event := range events {
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
