package server

import (
	"context"
	"errors"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/page"
	"github.com/quorate/quorate/registry"
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

	sweep   func(ctx context.Context) error // removes what is over; nil where the store itself does
	copies  *copies                         // nil for none
	closers []func() error
}

// Close closes the stores.
func (s *Stores) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
