package registry

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const directoryChunk = 1000

// Directory is an in-memory index of agents, fed by the change log. Its content may lag behind the store slightly, except right after Sync, but it
// never shows a lease as live that has expired. It is safe for concurrent use.
//
// The first Sync of a tenant loads that tenant. Run keeps loaded tenants up to date.
type Directory struct {
	registry *Registry
	mu       sync.Mutex
	tenants  map[string]*tenantDirectory // by tenant; guarded by mu
}

// tenantDirectory is one tenant's part of the directory.
type tenantDirectory struct {
	tenant     string
	written    *broadcast
	catchingUp semaphore     // held while reading the log, so that revisions come in order
	catchUps   atomic.Uint64 // how many readings of the log have begun
	last       caughtUp      // the result of the last of these; guarded by catchingUp
	seenWrites atomic.Uint64 // written.count before the log was last read
	seenTime   atomic.Int64  // when that reading began, in nanoseconds of Unix time
	failures   int           // used by Run only; how many times in a row the log could not be read

	reading semaphore     // held while reading all pulses
	begun   atomic.Uint64 // how many readings of all pulses have begun
	whole   uint64        // the number of the last of these that succeeded; guarded by reading

	mu         sync.RWMutex
	loaded     bool            // guarded by mu, as is all below
	revision   int64           // of the log, up to which it is current
	edition    uint64          // increased by changes of agents and ports.types, not of pulses; 0 before the first load
	newer      map[string]bool // names whose pulses the log has reported since readPulses began; nil when it is not reading
	agentIndex                 // empty before the first load
}

// Directory returns the registry's directory.
func (r *Registry) Directory() *Directory { return r.directory }

func (d *Directory) tenant(tenant string) *tenantDirectory {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.tenants[tenant]
	if s == nil {
		s = &tenantDirectory{
			tenant: tenant, written: d.registry.written.tenant(tenant), catchingUp: newSemaphore(), reading: newSemaphore(), agentIndex: newAgentIndex(),
		}
		if d.tenants == nil {
			d.tenants = make(map[string]*tenantDirectory)
		}
		d.tenants[tenant] = s
	}
	return s
}

// Agent returns one agent with its status and without RawCard. If it does not exist, ok is false.
func (d *Directory) Agent(tenant, name string) (a Agent, ok bool) {
	kept, status, ok := d.Peek(tenant, name)
	if !ok {
		return Agent{}, false
	}
	a = *kept
	a.Status = status
	return a, true
}

// Peek returns one agent as the directory keeps it, without RawCard and Status, and its status beside it. It saves the copy that Agent makes: the
// agent is shared with all readers and must not be changed. If the agent does not exist, ok is false.
func (d *Directory) Peek(tenant, name string) (a *Agent, status Status, ok bool) {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.members[name]
	if m == nil {
		return nil, Status{}, false
	}
	return m.agent, m.pulse.At(d.registry.now()), true
}

// PeekAll calls see for each of the named agents with what Peek returns, all at one moment. It skips names of agents that do not exist. see must not
// call the directory.
func (d *Directory) PeekAll(tenant string, names iter.Seq[string], see func(a *Agent, status Status)) {
	s := d.tenant(tenant)
	now := d.registry.now()
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name := range names {
		if m := s.members[name]; m != nil {
			see(m.agent, m.pulse.At(now))
		}
	}
}

// BySkill returns the names of the agents that have the skill, sorted.
func (d *Directory) BySkill(tenant, skill string) []string {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.skills[skill])
}

// Run keeps the directory up to date until ctx ends, and then returns nil. It follows the change log, and reads the leases, whose renewal is not in
// the log, three times per lease duration.
func (d *Directory) Run(ctx context.Context) error {
	poll, leases := time.NewTicker(watchPoll), time.NewTicker(max(d.registry.leaseDuration/3, time.Millisecond))
	defer poll.Stop()
	defer leases.Stop()
	for all := true; ; {
		rung := d.registry.written.all.wait()
		for _, s := range d.loaded() {
			if !all && d.Fresh(s.tenant) {
				continue
			}
			if err := d.catchUp(ctx, s); err == nil {
				s.failures = 0
			} else if ctx.Err() == nil {
				d.logFailure(ctx, s, err)
			}
		}
		all = false
		select {
		case <-rung:
		case <-poll.C:
			all = true // for changes by other replicas
		case <-leases.C:
			for _, s := range d.loaded() {
				if err := d.readRenewals(ctx, s); err != nil && ctx.Err() == nil {
					d.registry.logger.ErrorContext(ctx, "leases not read", slog.String("tenant", s.tenant), slog.Any("error", err))
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// logFailure counts a failure in a row: the log is read twice a second for each tenant, and a store may be away for hours.
func (d *Directory) logFailure(ctx context.Context, s *tenantDirectory, err error) {
	if s.failures++; fault.Logged(s.failures) {
		d.registry.logger.ErrorContext(ctx, "directory not up to date", slog.String("tenant", s.tenant), slog.Int("times", s.failures), slog.Any("error", err))
	}
}

// loaded returns all tenants that were asked for.
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
