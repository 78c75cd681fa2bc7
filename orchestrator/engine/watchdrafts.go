package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
)

// draftPause is the minimum time between two looks of a watcher at what an agent delivers, which may be a word at a time.
const draftPause = 50 * time.Millisecond

// Draft is an artifact as far as its agent has delivered it.
type Draft struct {
	*a2apb.Artifact
	Whole bool // the agent says that this was the last chunk
}

// WatchDrafts is Watch through gates, but returns no task, and also calls show with all that the agent has delivered so far, whenever that is more
// than before, while this replica talks to the agent. It is not durable: the task may end with other artifacts, of another attempt. What a review has
// to see first is not shown. An artifact has its metadata only when it was not among those that were shown before. show must not change the artifacts.
// emit also gets a function by which it may ask whether the agent has said of an artifact that it is whole.
func (e *Engine) WatchDrafts(
	ctx context.Context, k orchestrator.Key, after uint64, emit func(e orchestrator.Event, isWhole func(id string) bool) error, show func([]Draft) error,
) error {
	changed, stop := e.watchers.subscribe(k)
	defer stop()
	grown, stopDrafts := e.onlookers.subscribe(k)
	defer stopDrafts()
	known := make(map[string]bool)
	var c *conversation // the last one; when the task has ended, the engine has none
	isWhole := func(id string) bool { return c != nil && c.isWhole(ctx, id) }
	_, err := e.watch(ctx, k, after, true, func(ev orchestrator.Event) error { return emit(ev, isWhole) }, func(ctx context.Context, shard int) error {
		again := time.After(e.watchInterval(shard))
		for {
			c = cmp.Or(e.runners.conversation(k), c)
			if drafts := e.drafts(ctx, k, known); len(drafts) > 0 {
				if err := show(drafts); err != nil {
					return err
				}
			}
			if grew, err := awaitDrafts(ctx, changed, again, grown); !grew {
				return err
			}
		}
	})
	return err
}

// awaitDrafts reports whether there is more to show, after a pause, or false when the task may have changed or ctx has ended.
func awaitDrafts(ctx context.Context, changed <-chan struct{}, again <-chan time.Time, grown <-chan struct{}) (bool, error) {
	paused := time.After(draftPause)
	var more <-chan struct{} // nil during the pause
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-changed:
			return false, nil
		case <-again:
			return false, nil
		case <-paused:
			more = grown
		case <-more:
			return true, nil
		}
	}
}

// drafts returns what the agent has delivered so far, if this replica talks to it about the task, and notes these artifacts, and no others, as known.
func (e *Engine) drafts(ctx context.Context, k orchestrator.Key, known map[string]bool) []Draft {
	c := e.runners.conversation(k)
	if c == nil {
		return nil
	}
	return c.drafts(ctx, known)
}

// drafts returns what the agent has delivered so far, unless a review stands between it and the caller, or the agent has ended its task. The parts
// are the conversation's own, which nobody changes; the rest is copied, and metadata, which may be large, only for artifacts that are not known.
func (c *conversation) drafts(ctx context.Context, known map[string]bool) []Draft {
	select {
	case <-ctx.Done():
		return nil
	case c.mu <- struct{}{}:
	}
	defer c.mu.Unlock()
	if c.finished || c.refused || c.remote.Ended() || c.task.Guarded() || c.task.CarriesConsultation() {
		return nil
	}
	before := maps.Clone(known)
	clear(known) // what the agent has replaced: it may give each artifact a new id for hours
	drafts := make([]Draft, len(c.remote.Artifacts))
	for i, a := range c.remote.Artifacts {
		id := a.GetArtifactId()
		drafts[i] = Draft{Whole: c.remote.IsWhole(id), Artifact: &a2apb.Artifact{
			ArtifactId: id, Name: a.GetName(), Description: a.GetDescription(), Extensions: a.GetExtensions(), Parts: slices.Clip(a.GetParts()),
		}}
		if !before[id] && len(a.GetParts()) > 0 {
			drafts[i].Metadata = proto.CloneOf(a.GetMetadata())
		}
		known[id] = before[id] || len(a.GetParts()) > 0
	}
	return drafts
}

// isWhole reports whether the agent has said of an artifact that it is whole.
func (c *conversation) isWhole(ctx context.Context, id string) bool {
	select {
	case <-ctx.Done():
		return false
	case c.mu <- struct{}{}:
	}
	defer c.mu.Unlock()
	return c.remote.IsWhole(id)
}

// carriesArtifacts reports whether a response may change what the agent has delivered.
func carriesArtifacts(r *a2apb.StreamResponse) bool {
	return r.GetArtifactUpdate() != nil || len(r.GetTask().GetArtifacts()) > 0
}
