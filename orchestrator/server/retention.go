package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	consultationstore "github.com/quorate/quorate/consultation/embedded"
	taskstore "github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/telemetry"
)

// Retention says how long finished tasks and consultations are kept. Zero is for ever.
type Retention struct {
	Tasks    time.Duration // after a task was settled
	Evidence time.Duration // after a consultation was issued
}

// sweep removes what has expired from the files.
func sweep(ctx context.Context, keep Retention, tasks *taskstore.Store, consultations *consultationstore.Store) error {
	var errs []error
	if keep.Tasks > 0 {
		_, err := tasks.Sweep(ctx, time.Now().Add(-keep.Tasks))
		errs = append(errs, err)
	}
	if keep.Evidence > 0 {
		_, err := consultations.Sweep(ctx, time.Now().Add(-keep.Evidence))
		errs = append(errs, err)
	}
	return errors.Join(append(errs, tasks.ForgetContexts(ctx))...)
}

// sweepEvery is the interval between removals.
const sweepEvery = time.Minute

// runSweeper removes what has expired until ctx ends.
func (s *Stores) runSweeper(ctx context.Context, logger *slog.Logger) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "what is over could not be removed; trying again", slog.Any(telemetry.LogError, err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
