package registry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	// askedLately is for how long Run follows the log of a tenant after somebody has asked for it. To look into a log costs a query, also if nothing is new,
	// and there may be thousands of tenants of which most do nothing at present.
	askedLately = time.Minute
	// tenantsAtATime bounds how many tenants are read at a time. One after the other, they would be seconds apart, and with them what this process knows of each.
	tenantsAtATime = 16
)

// Run keeps the directory up to date until ctx ends, and then returns nil. It follows the change logs of the tenants that somebody asks for, and reads the
// leases of all loaded ones, whose renewal is not in the log, three times per lease duration.
func (d *Directory) Run(ctx context.Context) error {
	var running sync.WaitGroup
	running.Go(func() { d.followLogs(ctx) })
	running.Go(func() { d.followLeases(ctx) })
	running.Wait()
	return nil
}

// followLogs reads the log of a tenant when this process has written into it, and of those that are asked for also every watchPoll, for changes by other
// replicas.
func (d *Directory) followLogs(ctx context.Context) {
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	for all := true; ; {
		rung := d.registry.written.all.wait()
		var due []*tenantDirectory
		for _, s := range d.loaded() {
			if s.behindOwnWrites() || all && d.askedLately(s) {
				due = append(due, s)
			}
		}
		for i, err := range atATime(due, func(s *tenantDirectory) error { return d.catchUp(ctx, s) }) {
			if err == nil {
				due[i].failures = 0
			} else if ctx.Err() == nil {
				d.logFailure(ctx, due[i], err)
			}
		}
		select {
		case <-rung:
			all = false
		case <-poll.C:
			all = true
		case <-ctx.Done():
			return
		}
	}
}

// followLeases reads the leases of all agents again and again.
func (d *Directory) followLeases(ctx context.Context) {
	ticker := time.NewTicker(max(d.registry.leaseDuration/3, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := d.readRenewals(ctx); err != nil && ctx.Err() == nil {
			d.registry.logger.ErrorContext(ctx, "leases not read", slog.Any("error", err))
		}
	}
}

// logFailure counts a failure in a row: the log is read twice a second for each tenant, and a store may be away for hours.
func (d *Directory) logFailure(ctx context.Context, s *tenantDirectory, err error) {
	if s.failures++; fault.Logged(s.failures) {
		d.registry.logger.ErrorContext(ctx, "directory not up to date", slog.String("tenant", s.tenant), slog.Int("times", s.failures), slog.Any("error", err))
	}
}

// loaded returns the tenants that have been loaded.
func (d *Directory) loaded() []*tenantDirectory {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []*tenantDirectory
	for _, s := range d.tenants {
		s.mu.RLock()
		if s.loaded {
			list = append(list, s)
		}
		s.mu.RUnlock()
	}
	return list
}

// behindOwnWrites reports whether this process has written into the tenant's log what the directory has not read.
func (s *tenantDirectory) behindOwnWrites() bool { return s.seenWrites.Load() < s.written.count.Load() }

// asked notes that somebody asks for the tenant.
func (d *Directory) asked(s *tenantDirectory) { s.askedTime.Store(d.registry.now().UnixNano()) }

func (d *Directory) askedLately(s *tenantDirectory) bool {
	return d.registry.now().Sub(time.Unix(0, s.askedTime.Load())) <= askedLately
}

// atATime calls do for each tenant, for tenantsAtATime at a time, and returns their errors.
func atATime(tenants []*tenantDirectory, do func(s *tenantDirectory) error) []error {
	errs := make([]error, len(tenants))
	places := make(chan struct{}, tenantsAtATime)
	var running sync.WaitGroup
	for i, s := range tenants {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			errs[i] = do(s)
		})
	}
	running.Wait()
	return errs
}
