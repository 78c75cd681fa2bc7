package server

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/consultation"
	consultationstore "github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/orchestrator"
	taskstore "github.com/quorate/quorate/orchestrator/embedded"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/page"
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

	closers []func() error
}

// aloneLease is long, because nobody waits for leases to run out where one process has the files: each beat is a write to the disk.
const aloneLease = time.Minute

// OpenEmbedded opens the stores of one process in a folder that no other process uses: quorate.db, spans.db and page.key, the last only when
// no key is given.
func OpenEmbedded(ctx context.Context, dir string, pageKey []byte) (s *Stores, err error) {
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
	s.Consultations = consultationstore.New(spans)
	if s.Registry, err = registrystore.New(ctx, main); err != nil {
		return s, err
	}
	if s.Tasks, err = taskstore.New(ctx, main); err != nil {
		return s, err
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
	s.Ready[name] = func(context.Context) error { return db.View(func(*bbolt.Tx) error { return nil }) }
	return db, nil
}

// Close closes the stores.
func (s *Stores) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
