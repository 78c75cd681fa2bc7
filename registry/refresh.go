package registry

import (
	"context"

	"github.com/quorate/quorate/platform/fault"
)

// Refresh reads an agent's card again, from uri or, when that is empty, from where it was read before, and puts it in place of the old one. The
// metadata stays as it is: rules that hold for an agent do not change because its card does. A card of another name is an InvalidArgument
// fault with the reason CARD_NAME_CHANGED; an agent that gets another URL while its own is read, a Conflict fault with the reason ETAG_MISMATCH.
func (r *Registry) Refresh(ctx context.Context, tenant, name, uri string) (Agent, []Warning, error) {
	return r.Once(Retry{}).Refresh(ctx, tenant, name, uri, "")
}

// Refresh is Registry.Refresh; with an etag it writes only if that is still the agent's.
func (w Writer) Refresh(ctx context.Context, tenant, name, uri, etag string) (Agent, []Warning, error) {
	r, key, content := w.registry, Key{tenant, name}, []string{"refresh", name, uri, etag}
	if request, done, err := r.begin(ctx, key, w.retry, content); err != nil || done {
		return r.again(ctx, tenant, request, err)
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
	if uri, err = cardURL(uri); err != nil {
		return Agent{}, nil, err
	}
	asked := r.now().UTC()
	raw, err := r.fetchCard(ctx, uri)
	if err != nil {
		return Agent{}, nil, err
	}
	agent, warnings, err := w.replaceCard(ctx, key, reread{raw: raw, uri: uri, from: from, etag: etag}, content)
	if err != nil {
		return Agent{}, nil, err
	}
	r.answeredToo(ctx, key, asked) // reading the card was a probe that the agent answered
	return r.written(ctx, agent), warnings, nil
}

// reread is a card that was read again.
type reread struct {
	raw  []byte
	uri  string // where it was read
	from string // the agent's URL that led there; empty when somebody said where to read
	etag string // the agent's; empty is any
}

// replaceCard puts a card that was read again in place of the agent's. One that the agent's URL led to is of no account once the agent has another URL, or none:
// reading takes a while, and an admin may have brought another card meanwhile.
func (w Writer) replaceCard(ctx context.Context, key Key, card reread, content any) (Agent, []Warning, error) {
	r := w.registry
	c, err := r.read(ctx, key.Tenant, card.raw)
	if err != nil {
		return Agent{}, nil, err
	}
	if c.card.Name != key.Name {
		return Agent{}, nil, fault.Invalid("card_uri", "CARD_NAME_CHANGED", "the card at %s is of agent %q, not of %q", clip(card.uri), clip(c.card.Name), key.Name)
	}
	var next Record
	var warnings []Warning
	replayed, err := w.update(ctx, key, content, func(q *Request) { q.Warnings = warnings }, func(old *Record) (change Change, err error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		if err := old.checkEtag(card.etag); err != nil {
			return Change{}, err
		}
		if card.from != "" && card.from != old.CardURI {
			return Change{}, old.changed()
		}
		next, change, warnings, err = r.take(old, c, card.uri)
		return change, err
	})
	if err != nil || replayed != nil {
		return r.again(ctx, key.Tenant, replayed, err)
	}
	return next.Agent, warnings, nil
}
