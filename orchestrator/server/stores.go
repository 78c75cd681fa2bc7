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

// Stores holds the stores of a Server. Whoever opens them closes them, after the server.
type Stores struct {
	Registry      registry.Store
	Tasks         orchestrator.Store
	Leases        orchestrator.LeaseStore
	LeaseDuration time.Duration // how long a silent replica keeps its tasks; 0: the default of lease.Config
	Consultations consultation.Store
	Pages         *page.Codec                                // with the key that all replicas share
	Now           func() time.Time                           // a clock that all replicas share; nil is time.Now
	Ready         map[string]func(ctx context.Context) error // checks for /readyz, by name

	sweep   func(ctx context.Context) error // removes what has expired; nil where the store does that itself
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
