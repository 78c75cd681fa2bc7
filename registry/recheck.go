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
	// recheckTime bounds how long checking the cards of a tenant may take. The check goes on when the caller disconnects.
	recheckTime = 5 * time.Minute
	// maxRechecks bounds how often the check of one card is repeated because its agent was written meanwhile.
	maxRechecks = 16
	// recheckChunk is how many cards are read at a time.
	recheckChunk = 200
)

// errWritten means that an agent was written after its card was read.
var errWritten = errors.New("the agent was written meanwhile")

// tillRechecked returns a context for a change of keys together with the recheck after it. It ignores cancellation: if a caller disconnected in
// between, cards would stay trusted whose key is gone.
func tillRechecked(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), recheckTime)
}

// keysFor returns the keys that may sign the agent's card.
func (r *Registry) keysFor(ctx context.Context, agent Key) ([]jws.Key, error) {
	if r.keys == nil {
		return nil, nil // the store keeps no keys
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

// recheck checks the signatures of all signed cards of the tenant again and stores the results. It removes no card: whether an agent whose key is
// gone still gets work is decided by whoever gives it work (SignaturePolicy.Trusts).
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

// sweepCards checks the cards that were taken while the policy was off, once signatures count, and those that could not be checked when they should
// have been.
func (r *Registry) sweepCards(ctx context.Context) error {
	unchecked := r.uncertain.take()
	failed := []error{r.directory.every(ctx, maxUnasked, func(a *Agent, _ Pulse) {
		if a.Verification.State == VerificationUnchecked {
			unchecked = append(unchecked, a.Key())
		}
	})}
	for _, key := range unchecked {
		record, err := r.store.Agent(ctx, key)
		if err == nil {
			err = r.recheckAgent(ctx, record)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound { // it was deleted meanwhile
			r.uncertain.add(key)
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// recheckAgent checks one card again. If the agent is written meanwhile, it starts anew: the writer may have used the keys of before.
func (r *Registry) recheckAgent(ctx context.Context, seen Record) error {
	for range maxRechecks {
		err := r.storeVerification(ctx, seen)
		if errors.Is(err, errWritten) {
			if seen, err = r.store.Agent(ctx, seen.Key()); err == nil {
				continue
			}
		}
		if fault.KindOf(err) == fault.NotFound { // it was deleted meanwhile
			return nil
		}
		return err
	}
	return fault.New(fault.Unavailable, "STORE_BUSY", "too many others write to agent %q at the same time", seen.Name)
}

// storeVerification stores what the check of a card's signatures results in now, if that has changed. It returns errWritten if the agent has been written since
// it was read.
func (r *Registry) storeVerification(ctx context.Context, seen Record) error {
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

// recheckingStore wraps a Store so that a card is checked once more after it was written as verified: keys are read before the write, and a key that was
// unpinned in between had all other cards rechecked, but not this one. The write stands whatever the check results in: sweepCards retries a card that
// could not be checked.
type recheckingStore struct {
	Store

	recheck func(context.Context, Record) error
	later   func(context.Context, Key, error)
}

// Update writes and rechecks.
func (s *recheckingStore) Update(ctx context.Context, key Key, change func(old *Record) (Change, error)) error {
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
