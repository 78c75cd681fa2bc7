package discovery

import (
	"context"
	"log/slog"
	"slices"

	"github.com/quorate/quorate/registry"
)

// patience is how many reads in a row must fail before an agent counts as gone.
const patience = 3

// markForgotten marks the agents whose source is no longer configured, and reports whether it could.
func (d *Discoverer) markForgotten(ctx context.Context) bool {
	marked, err := d.registry.MarkGone(ctx, func(a *registry.Agent) bool {
		return !slices.ContainsFunc(d.sources, func(r *reader) bool { return r.source.has(a) })
	})
	d.report(ctx, "configuration", marked, err)
	return err == nil
}

// unreadable notes that the source itself could not be read. After several times in a row, all its agents are gone.
func (r *reader) unreadable(ctx context.Context, source registry.Source, err error) {
	if ctx.Err() != nil {
		return
	}
	r.failures++
	r.logger.WarnContext(ctx, "source of agents not read",
		slog.String("source", source.Location), slog.Int("times", r.failures), slog.Any("error", err))
	if r.failures < patience {
		return
	}
	marked, markErr := r.registry.MarkGone(ctx, func(a *registry.Agent) bool {
		return a.Source.Type == source.Type && r.source.has(a)
	})
	r.report(ctx, source.Location, marked, markErr)
}

// markMissing marks the agents of the source that have no card in it any more. It marks none while some card of the source could never be read: it
// might be theirs.
func (r *reader) markMissing(ctx context.Context, source registry.Source) {
	names := make(map[string]bool)
	r.mu.Lock()
	for _, s := range r.states {
		if s.name == "" && s.failures < patience {
			r.mu.Unlock()
			return
		}
		names[s.name] = names[s.name] || s.failures < patience || source.Type == registry.SourceFolder
	}
	r.mu.Unlock()
	marked, err := r.registry.MarkGone(ctx, func(a *registry.Agent) bool {
		return a.Source.Type == source.Type && r.source.has(a) && !names[a.Name]
	})
	r.report(ctx, source.Location, marked, err)
}

// report logs how many agents of a source were newly marked, or why none could be.
func (d *Discoverer) report(ctx context.Context, source string, marked int, err error) {
	if err != nil && ctx.Err() == nil {
		d.logger.ErrorContext(ctx, "agents of a source not marked", slog.String("source", source), slog.Any("error", err))
	} else if marked > 0 {
		d.logger.WarnContext(ctx, "agents are gone from their source", slog.String("source", source), slog.Int("agents", marked))
	}
}
