package server

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric/noop"

	"github.com/quorate/quorate/consultation"
)

// Due is how long a next copy has time.
func (b Backup) Due(now time.Time) time.Duration { return (&copies{Backup: b}).due(now) }

// Once makes a copy of nothing.
func (b Backup) Once(ctx context.Context, now time.Time) (path string, err error) {
	c := copies{Backup: b}
	defer c.release()
	path, _, err = c.once(ctx, now)
	return path, err
}

// Again is how long a next copy has time after an error.
func (b Backup) Again(now time.Time) time.Duration { return (&copies{Backup: b}).again(now) }

// Ledger is the ledger over the consultations in s.
func (e *Evidence) Ledger(s *Stores) (*consultation.Ledger, error) {
	return e.ledger(s, nil, slog.New(slog.DiscardHandler), noop.Meter{})
}

// ReachedAt is the base URL at which agents reach a server with the options.
func ReachedAt(o Options) string { return reachedAt(o) }

// Sweep has sweep remove what has expired, by a clock of this machine, until ctx ends.
func Sweep(ctx context.Context, sweep func(context.Context) error, logger *slog.Logger, clock func() time.Time) error {
	return (&sweeper{sweep, logger, clock}).run(ctx)
}
