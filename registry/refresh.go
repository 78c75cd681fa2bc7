package registry

import (
	"cmp"
	"context"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Refresh reads an agent's card again, from uri or, when that is empty, from where it was read before, and replaces the old card. The metadata stays
// as it is: the rules for an agent do not change because its card does. A card with another name is an InvalidArgument fault with the reason
// CARD_NAME_CHANGED. If the agent's URL is changed while it is being read, the result is a Conflict fault with the reason ETAG_MISMATCH.
//
// With an etag it writes only if the agent still has that etag.
func (w Writer) Refresh(ctx context.Context, tenant, name, uri, etag string) (Agent, []agentcard.Warning, error) {
	r, key, content := w.registry, Key{tenant, name}, []string{"refresh", name, uri, etag}
	if request, done, err := r.begin(ctx, key, w.retry, content); err != nil || done {
		return r.answerRetry(ctx, tenant, request, err)
	}
	old, err := r.store.Agent(ctx, key)
	if err != nil {
		return Agent{}, nil, err
	}
	from := ""
	if uri == "" {
		from, uri = old.CardURI, old.CardURI
	}
	if uri == "" {
		return Agent{}, nil, fault.Invalid("card_uri", "CARD_URI_MISSING", "agent %q was registered with its card inline: say where its card can be read", name)
	}
	asked := r.now().UTC()
	fetched, err := r.FetchCard(ctx, uri, Validators{})
	if err != nil {
		return Agent{}, nil, err
	}
	agent, warnings, err := w.replaceCard(ctx, key, fetchedCard{raw: fetched.RawCard, uri: fetched.URI, from: from, etag: etag}, content)
	if err != nil {
		return Agent{}, nil, err
	}
	if !w.dry {
		r.tryRenewProbeLease(ctx, key, asked) // reading the card was a probe, and the agent has answered it
	}
	return r.withStatusAfterWrite(ctx, agent), warnings, nil
}

// fetchedCard is a card that was read again.
type fetchedCard struct {
	raw  []byte
	uri  string // where it was read
	from string // the agent's URL when that was followed; empty when the caller gave the URL
	etag string // the agent's; empty matches any
}

// replaceCard replaces the agent's card by one that was read again. A card that was read from the agent's own URL is dropped when the agent has
// another URL, or none, by now: an admin may have brought another card while it was read.
func (w Writer) replaceCard(ctx context.Context, key Key, card fetchedCard, content any) (Agent, []agentcard.Warning, error) {
	r := w.registry
	c, err := r.read(ctx, key, card.raw)
	if err != nil {
		return Agent{}, nil, err
	}
	c.author = cmp.Or(w.author, AuthorRefresher) // even when an admin asks: nobody has seen this card
	var next Record
	var warnings []agentcard.Warning
	replayed, err := w.update(ctx, key, content, func(q *Request) { q.Warnings = warnings }, func(old *Record) (change Change, err error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		if c.card.Name != old.Card.Name {
			return Change{}, fault.Invalid("card_uri", "CARD_NAME_CHANGED", "the card at %s is of %q, not of %q", fault.Clip(card.uri), fault.Clip(c.card.Name), fault.Clip(old.Card.Name))
		}
		if err := old.checkEtag(card.etag); err != nil {
			return Change{}, err
		}
		if card.from != "" && card.from != old.CardURI {
			return Change{}, old.changed()
		}
		next, change, warnings, err = r.addVersion(old, c, card.uri)
		return change, err
	})
	if err != nil || replayed != nil {
		return r.answerRetry(ctx, key.Tenant, replayed, err)
	}
	return next.Agent, warnings, nil
}
