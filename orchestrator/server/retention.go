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

const (
	// sweepEvery is the interval between removals.
	sweepEvery = time.Minute
	// clockPause is for how long nothing is removed after the clock was set forward. If that was wrong by a month, all finished tasks and their evidence would be
	// gone a minute later.
	clockPause = time.Hour
	// clockSlack is by how much a clock may be set forward without that pause.
	clockSlack = time.Minute
)

// sweeper removes what has expired.
type sweeper struct {
	sweep  func(context.Context) error
	logger *slog.Logger
	clock  func() time.Time // the machine's, without a monotonic reading
}

// run removes what has expired until ctx ends.
func (s *sweeper) run(ctx context.Context) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	var pause time.Duration
	for shown, at := s.clock(), time.Now(); ; {
		if pause <= 0 {
			if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
				s.logger.ErrorContext(ctx, "what is over could not be removed; trying again", slog.Any(telemetry.LogError, err))
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		before, passed := shown, time.Since(at)
		shown, at = s.clock(), time.Now()
		pause -= passed
		if set := shown.Sub(before) - passed; set > clockSlack {
			pause = clockPause
			s.logger.WarnContext(ctx, "the clock was set forward, or the machine has slept; nothing that is over is removed for a while",
				slog.Duration("by", set), slog.Duration("while", pause))
		}
	}
}
