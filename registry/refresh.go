package registry

import (
	"bytes"
	"context"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// Refresh reads an agent's card again, from uri or, when that is empty, from where it was read before, and puts it in place of the old one. The
// metadata stays as it is: rules that hold for an agent do not change because its card does. A card of another name is an InvalidArgument
// fault with the reason CARD_NAME_CHANGED.
func (r *Registry) Refresh(ctx context.Context, tenant, name, uri string) (Agent, []Warning, error) {
	key := Key{tenant, name}
	old, err := r.store.Agent(ctx, key)
	if err != nil {
		return Agent{}, nil, err
	}
	if uri == "" {
		uri = old.CardURI
	}
	if uri == "" {
		return Agent{}, nil, fault.Invalid("card_uri", "CARD_URI_MISSING", "agent %q was registered with its card inline: say where its card can be read", name)
	}
	if uri, err = cardURL(uri); err != nil {
		return Agent{}, nil, err
	}
	asked := r.now().UTC()
	raw, err := r.fetchCard(ctx, uri)
	if err != nil {
		return Agent{}, nil, err
	}
	card, _, warnings, err := ParseCard(raw)
	if err != nil {
		return Agent{}, nil, err
	}
	if card.Name != name {
		return Agent{}, nil, fault.Invalid("card_uri", "CARD_NAME_CHANGED", "the card at %s is of agent %q, not of %q", clip(uri), clip(card.Name), name)
	}
	return r.replaceCard(ctx, key, Agent{Card: card, RawCard: raw, CardURI: uri}, warnings, asked)
}

// replaceCard writes what Refresh has read. Reading it was a probe that the agent answered.
func (r *Registry) replaceCard(ctx context.Context, key Key, from Agent, warnings []Warning, asked time.Time) (Agent, []Warning, error) {
	var next Record
	now := r.now().UTC()
	err := r.store.Update(ctx, key, func(old *Record) (Change, error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		next = *old
		if bytes.Equal(old.RawCard, from.RawCard) && old.CardURI == from.CardURI {
			return Change{Record: &next}, nil
		}
		next.Card, next.RawCard, next.CardURI = from.Card, from.RawCard, from.CardURI
		next.UpdateTime = later(now, old.UpdateTime)
		if err := next.seal(old.Revision + 1); err != nil {
			return Change{}, err
		}
		return Change{Record: &next}, nil
	})
	if err != nil {
		return Agent{}, nil, err
	}
	if err := r.answered(ctx, key, asked); err != nil {
		return Agent{}, nil, err
	}
	agents, err := r.withStatus(ctx, []Record{next})
	if err != nil {
		return Agent{}, nil, err
	}
	return agents[0], warnings, nil
}
