package registry

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

const directoryChunk = 1000

// Directory is an in-memory index of agents, fed by the change log. Its content may lag behind the store slightly, except right after Sync, but it
// never shows a lease as live that has expired. It is safe for concurrent use.
//
// The first Sync of a tenant loads that tenant. Run keeps tenants up to date that somebody asks for; Refresh does so for the others.
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
	askedTime  atomic.Int64  // when somebody last asked for the tenant, in nanoseconds of Unix time
	failures   int           // used by Run only; how many times in a row the log could not be read

	reading semaphore     // held while reading all pulses
	begun   atomic.Uint64 // how many readings of all pulses have begun
	whole   uint64        // the number of the last of these that succeeded; guarded by reading

	mu         sync.RWMutex
	loaded     bool            // guarded by mu, as is all below
	revision   int64           // of the log, up to which it is current
	edition    uint64          // increased by changes of agents and ports.Types, not of pulses; 0 before the first load
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

// Consulted reports whether a rule of any agent has the named agent consulted, whether or not that is registered.
func (d *Directory) Consulted(tenant, name string) bool {
	s := d.tenant(tenant)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.targets[name]) > 0
}
