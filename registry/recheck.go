package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/jws"
)

const (
	// recheckTime is how long the cards of a tenant are checked again, even after the caller has gone.
	recheckTime = 5 * time.Minute
	// maxRechecks bounds how often one card is checked again because others write to its agent.
	maxRechecks = 16
	// recheckChunk is how many cards are read at a time.
	recheckChunk = 200
)

// errWritten says that a card was written after it was read.
var errWritten = errors.New("the agent was written meanwhile")

// tillRechecked returns a context for a change of keys and the recheck after it, which belong together: a caller that leaves between them would leave cards
// trusted whose key is gone.
func tillRechecked(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recheckTime)
}

// keysFor returns the keys that may sign the agent's card.
func (r *Registry) keysFor(ctx context.Context, agent Key) ([]jws.Key, error) {
	if r.keys == nil {
		return nil, nil // nothing can be pinned
	}
	pinned, err := r.keys.SigningKeys(ctx, agent.Tenant)
	if err != nil {
		return nil, err
	}
	var keys []jws.Key
	for _, key := range pinned {
		if len(key.Agents) > 0 && !slices.Contains(key.Agents, agent.Name) {
			continue
		}
		parsed, err := jws.ParseKey(key.JWK)
		if err != nil {
			r.logger.WarnContext(ctx, "pinned key left out", slog.String("key_id", key.ID), slog.Any("error", err))
			continue
		}
		keys = append(keys, parsed)
	}
	return keys, nil
}

// recheck checks the signatures of all signed cards of the tenant again. What they come to is noted, and no card is taken away:
// whether an agent whose key is gone still gets work is for whoever gives it (SignaturePolicy.Trusts).
func (r *Registry) recheck(ctx context.Context, tenant string) error {
	return r.everyAgent(ctx, tenant, recheckChunk, func(records []Record) error {
		for i := range records {
			if records[i].Verification.State != VerificationUnsigned {
				if err := r.recheckAgent(ctx, records[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// sweepCards checks those cards that were taken while no signature was looked at, once signatures count, and those that could not be checked when they should.
func (r *Registry) sweepCards(ctx context.Context) error {
	unchecked := r.unsure.take()
	failed := []error{r.directory.every(ctx, func(a *Agent, _ Pulse) {
		if a.Verification.State == VerificationUnchecked {
			unchecked = append(unchecked, a.Key())
		}
	})}
	for _, key := range unchecked {
		record, err := r.store.Agent(ctx, key)
		if err == nil {
			err = r.recheckAgent(ctx, record)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound { // deleted meanwhile
			r.unsure.add(key)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// recheckAgent checks one card again. When it is written meanwhile it is read anew: its writer may have checked it against the keys of before.
func (r *Registry) recheckAgent(ctx context.Context, seen Record) error {
	for range maxRechecks {
		err := r.renote(ctx, seen)
		if errors.Is(err, errWritten) {
			if seen, err = r.store.Agent(ctx, seen.Key()); err == nil {
				continue
			}
		}
		if fault.KindOf(err) == fault.NotFound { // deleted meanwhile
			return nil
		}
		return err
	}
	return fault.New(fault.Unavailable, "STORE_BUSY", "too many others write to agent %q at the same time", seen.Name)
}

// renote notes what the signatures of a card come to now, if that is something else, or returns errWritten.
func (r *Registry) renote(ctx context.Context, seen Record) error {
	v, err := r.verify(ctx, seen.Key(), seen.RawCard)
	if err != nil {
		return err
	}
	if v.same(seen.Verification) {
		return nil
	}
	return r.store.Update(ctx, seen.Key(), func(old *Record) (Change, error) {
		if old == nil {
			return Change{}, Missing(seen.Key())
		}
		if old.Etag != seen.Etag {
			return Change{}, errWritten
		}
		next := *old
		v.Required = old.Verification.Required || v.State == VerificationVerified
		next.Verification = v
		return r.write(old, &next)
	})
}

// rechecking is a Store that has a card checked once more after it was written as verified: keys are read before the write, and one that was unpinned
// between the two may have had all cards rechecked but this. The write counts whatever comes of it: a card that could not be checked is left to sweepCards.
type rechecking struct {
	Store

	recheck func(context.Context, Record) error
	later   func(context.Context, Key, error)
}

// Update writes and rechecks.
func (s *rechecking) Update(ctx context.Context, key Key, change func(old *Record) (Change, error)) error {
	var verified *Record
	err := s.Store.Update(ctx, key, func(old *Record) (Change, error) {
		c, err := change(old)
		verified = nil
		if next := c.Record; err == nil && !c.DryRun && next != nil && next.Verification.State == VerificationVerified && (old == nil || next.Verification != old.Verification) {
			verified = next
		}
		return c, err
	})
	if err != nil || verified == nil {
		return err
	}
	ctx, cancel := tillRechecked(ctx)
	defer cancel()
	if err := s.recheck(ctx, *verified); err != nil {
		s.later(ctx, key, err)
	}
	return nil
}
