package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/quorate/quorate/consultation"
	consultationstore "github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/orchestrator"
	taskstore "github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
	registrystore "github.com/quorate/quorate/registry/embedded"
)

// Stores are what a Server keeps everything in. Whoever opens them closes them, after the server.
type Stores struct {
	Registry      registry.Store
	Tasks         orchestrator.Store
	Leases        orchestrator.LeaseStore
	LeaseDuration time.Duration // how long a silent replica keeps its work; 0: lease.Config's default
	Consultations consultation.Store
	Pages         *page.Codec                                // has the key that all replicas share
	Ready         map[string]func(ctx context.Context) error // what /readyz asks, by name

	sweep   func(ctx context.Context) error // removes what is over, where the store itself does not; nil when nothing ever is
	closers []func() error
}

// Retention says how long what is over is kept. Zero is for ever.
type Retention struct {
	Tasks    time.Duration // after a task was settled
	Evidence time.Duration // after a consultation was issued
}

// aloneLease is long, because nobody waits for leases to run out where one process has the files: each beat is a write to the disk.
const aloneLease = time.Minute

// OpenEmbedded opens the stores of one process in a folder that no other process uses: quorate.db, spans.db and page.key, the last only when
// no key is given.
func OpenEmbedded(ctx context.Context, dir string, pageKey []byte, keep Retention) (s *Stores, err error) {
	s = &Stores{Ready: make(map[string]func(context.Context) error)}
	defer func() {
		if err != nil {
			s, err = nil, errors.Join(err, s.Close())
		}
	}()
	main, err := s.open("store", filepath.Join(dir, "quorate.db"))
	if err != nil {
		return s, err
	}
	spans, err := s.open("spans", filepath.Join(dir, "spans.db"))
	if err != nil {
		return s, err
	}
	if pageKey == nil {
		if pageKey, err = ownPageKey(filepath.Join(dir, "page.key")); err != nil {
			return s, err
		}
	}
	s.Pages = page.New(pageKey)
	consultations := consultationstore.New(spans)
	s.Consultations = consultations
	if s.Registry, err = registrystore.New(ctx, main); err != nil {
		return s, err
	}
	tasks, err := taskstore.New(ctx, main)
	if err != nil {
		return s, err
	}
	s.Tasks = tasks
	if keep != (Retention{}) {
		s.sweep = func(ctx context.Context) error { return sweep(ctx, keep, tasks, consultations) }
	}
	s.LeaseDuration = aloneLease
	s.Leases, err = taskstore.NewLeases(ctx, main)
	return s, err
}

// open opens one file.
func (s *Stores) open(name, file string) (*boltdb.DB, error) {
	db, err := boltdb.Open(file, boltdb.Options{})
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, db.Close)
	s.Ready[name] = func(context.Context) error { return db.Ready() }
	return db, nil
}

// sweep removes what is over from the files.
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
	return errors.Join(errs...)
}

// sweepEvery is how often what is over is looked for.
const sweepEvery = time.Minute

// runSweeper removes what is over until ctx ends.
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

// Close closes the stores.
func (s *Stores) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
