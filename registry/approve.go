package registry

import (
	"context"
	"slices"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// Approve puts into force what waits for an admin. The etag is that of the agent when the change was shown, so that nothing else is approved; without
// one, or with *, the result is an InvalidArgument fault with the reason ETAG_MISSING. If nothing waits, it is a FailedPrecondition fault with the
// reason NO_CHANGE_WAITS. The rules for signatures apply to the card as it is now. The warnings say what the agent no longer offers.
func (w Writer) Approve(ctx context.Context, tenant, name, etag string) (Agent, []agentcard.Warning, error) {
	r, key, asked := w.registry, Key{tenant, name}, []string{"approve", name, etag}
	if request, done, err := r.begin(ctx, key, w.retry, asked); err != nil || done {
		return r.answerRetry(ctx, tenant, request, err)
	}
	if etag == "" || etag == "*" {
		return Agent{}, nil, fault.Invalid("etag", "ETAG_MISSING", "to approve a change, give the etag of agent %q with which you saw it", name)
	}
	seen, err := r.store.Agent(ctx, key)
	if err != nil {
		return Agent{}, nil, err
	}
	if err := seen.checkWaiting(etag); err != nil {
		return Agent{}, nil, err
	}
	var c content
	if card := seen.Pending.card(); card != nil {
		v, _, err := r.Version(ctx, tenant, name, card.Version)
		if err != nil {
			return Agent{}, nil, err
		}
		if c, err = r.read(ctx, key, v.RawCard); err != nil {
			return Agent{}, nil, err
		}
	}
	return w.updateAgent(ctx, key, asked, func(old *Record) (Change, []agentcard.Warning, error) {
		if err := old.checkWaiting(etag); err != nil {
			return Change{}, nil, err
		}
		next, warnings, err := r.approved(old, c)
		if err != nil {
			return Change{}, nil, err
		}
		change, err := r.write(old, &next)
		return change, warnings, err
	})
}

// approved returns the record with what waits in force; c is the card that waits.
func (r *Registry) approved(old *Record, c content) (next Record, warnings []agentcard.Warning, err error) {
	next = *old
	next.Pending = nil
	if card := old.Pending.card(); card != nil {
		if c.hash != card.Hash {
			return Record{}, nil, old.changed()
		}
		if next.Verification, err = r.admit(&old.Agent, c.verification); err != nil {
			return Record{}, nil, err
		}
		warnings = append(slices.Clip(c.warnings), agentcard.BreakingWarnings(agentcard.BreakingChanges(&old.Card, &c.card))...)
		next.Card, next.RawCard, next.CardURI, next.LiveVersion = c.card, c.raw, card.CardURI, card.Version
	}
	if schemas := old.Pending.schemas(); schemas != nil {
		next.Metadata.InputSchemas, next.Metadata.OutputSchemas = schemas.InputSchemas, schemas.OutputSchemas
	}
	return next, warnings, nil
}

// Reject ends the wait of a change and remembers it, so that the same change does not wait again. An empty etag refuses whatever waits. If nothing
// waits, the result is a FailedPrecondition fault with the reason NO_CHANGE_WAITS.
func (w Writer) Reject(ctx context.Context, tenant, name, etag string) (Agent, error) {
	agent, _, err := w.updateAgent(ctx, Key{tenant, name}, []string{"reject", name, etag}, func(old *Record) (Change, []agentcard.Warning, error) {
		if err := old.checkWaiting(etag); err != nil {
			return Change{}, nil, err
		}
		next := *old
		var refused []string
		for _, h := range old.Pending.held() {
			refused = append(refused, h.Digest)
		}
		refused = append(refused, old.Refused...)
		next.Pending, next.Refused = nil, refused[:min(len(refused), maxRefused)]
		change, err := w.registry.write(old, &next)
		return change, nil, err
	})
	return agent, err
}

// checkWaiting refuses a decision about a change that nobody waits for, or that is not the one with the etag.
func (a *Agent) checkWaiting(etag string) error {
	if err := a.checkEtag(etag); err != nil {
		return err
	}
	if a.Pending == nil {
		return fault.New(fault.FailedPrecondition, "NO_CHANGE_WAITS", "no change of agent %q waits for approval", a.Name).With("agent", a.Name)
	}
	return nil
}
