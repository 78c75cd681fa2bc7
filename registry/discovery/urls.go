package discovery

import (
	"context"

	"github.com/quorate/quorate/registry"
)

// readURLs reads the cards of a list. Each URL is a source of its own: its agent is gone when reading the card has failed several times in a row.
func (r *reader) readURLs(ctx context.Context) {
	inTurns(ctx, r.source.URLs, func(uri string) {
		r.readURL(ctx, uri, registry.Source{Type: registry.SourceURLs, Location: uri})
	})
	if ctx.Err() != nil {
		return
	}
	marked, err := r.registry.MarkGone(ctx, func(a *registry.Agent) bool {
		return a.Source.Type == registry.SourceURLs && r.source.has(a) && r.state(a.Source.Location).failures >= patience
	})
	r.report(ctx, "urls", marked, err)
}

// readURL reads one card and registers it if it has changed.
func (r *reader) readURL(ctx context.Context, uri string, source registry.Source) {
	s := r.state(uri)
	if !r.unchanged(ctx, s, source) {
		s.validators = registry.Validators{} // they belong to a card that is not the agent's any more
	}
	answer, err := r.registry.FetchCard(ctx, uri, s.validators)
	if err != nil {
		r.failed(ctx, s, uri, err)
		return
	}
	if answer.RawCard == nil {
		if err := r.registry.Seen(ctx, registry.Key{Tenant: r.source.tenant(), Name: s.name}, true); err == nil {
			s.failures = 0
			return
		}
		s.validators = registry.Validators{} // for example because the agent was deleted: read its card again next time
		return
	}
	r.card(ctx, s, uri, registry.Found{RawCard: answer.RawCard, CardURI: answer.URI, Source: source})
	s.validators = registry.Validators{}
	if s.failures == 0 {
		s.validators = answer.Validators
	}
}

// unchanged reports whether the agent is still of this source, and no other card has come since the one that was read there.
func (r *reader) unchanged(ctx context.Context, s *state, source registry.Source) bool {
	directory, tenant := r.registry.Directory(), r.source.tenant()
	if err := directory.Refresh(ctx, tenant); err != nil {
		return false
	}
	a, _, ok := directory.Peek(tenant, s.name)
	return ok && a.LatestHash == s.hash && a.Source.Type == source.Type && a.Source.Location == source.Location
}
