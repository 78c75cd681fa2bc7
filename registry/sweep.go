package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// RunSweeper writes statuses that changed because a lease expired to the change log, until ctx ends; then it returns nil. Expiry is no write, so
// nobody else would record it. Of a pulse it writes Announced only, so it renews nothing. It also checks the signatures of cards that were taken
// while a policy of off was in force, on this replica or another.
func (r *Registry) RunSweeper(ctx context.Context) error {
	ticker := time.NewTicker(max(r.leaseDuration/6, time.Millisecond))
	defer ticker.Stop()
	var cards time.Time // when cards are checked next
	for {
		sweep := r.sweepStatuses
		if now := r.now(); !now.Before(cards) {
			sweep, cards = r.Sweep, now.Add(sweepInterval)
		}
		if err := sweep(ctx); err != nil && ctx.Err() == nil {
			r.logger.ErrorContext(ctx, "agents not swept", slog.Any("error", err))
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Sweep is one round of RunSweeper, including the cards.
func (r *Registry) Sweep(ctx context.Context) error {
	err := r.sweepStatuses(ctx)
	if r.signatures == SignaturesOff {
		return err
	}
	return errors.Join(err, r.sweepCards(ctx))
}

// sweepStatuses is the part of Sweep that looks at leases. It reads the pulses whose lease has expired according to the directory.
func (r *Registry) sweepStatuses(ctx context.Context) error {
	var over []Key
	now := r.now()
	failed := []error{r.directory.every(ctx, maxUnasked, func(a *Agent, p Pulse) {
		if p.At(now).Status != p.AnnouncedStatus() {
			over = append(over, a.Key())
		}
	})}
	for chunk := range slices.Chunk(over, maxLimit) {
		pulses, err := r.store.Pulses(ctx, chunk...)
		failed = append(failed, err, r.sweepPulses(ctx, pulses))
	}
	return errors.Join(failed...)
}

func (r *Registry) sweepPulses(ctx context.Context, pulses map[Key]Pulse) error {
	var failed []error
	now := r.now()
	for key, p := range pulses {
		if p.At(now).Status == p.AnnouncedStatus() {
			continue
		}
		err := r.store.UpdatePulse(ctx, key, func(p Pulse) (Pulse, error) { return p, nil })
		if err != nil && fault.KindOf(err) != fault.NotFound {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
