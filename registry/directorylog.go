package registry

import (
	"context"
	"slices"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/compat"
)

// Sync brings the directory up to date with every change of the tenant that was made before the call.
func (d *Directory) Sync(ctx context.Context, tenant string) error {
	s := d.tenant(tenant)
	d.asked(s)
	return d.sync(ctx, s)
}

// sync is Sync for this process itself, which asks for all tenants all the time.
func (d *Directory) sync(ctx context.Context, s *tenantDirectory) error {
	if d.registry.log == nil {
		return unsupported("log of changes")
	}
	return d.catchUp(ctx, s)
}

// caughtUp is the result of reading the log.
type caughtUp struct {
	number uint64 // of the reading
	err    error
}

// catchUp brings a tenant up to date from the log, or loads everything when it is new or too far behind. Those who wait for a reading that has begun share
// the next one: thousands may want to know whether a store is back, and it answers each after some seconds.
func (d *Directory) catchUp(ctx context.Context, s *tenantDirectory) error {
	asked := s.catchUps.Load()
	if err := s.catchingUp.acquire(ctx); err != nil {
		return err
	}
	defer s.catchingUp.release()
	if s.last.number > asked { // somebody else has read it since
		return s.last.err
	}
	this, rung, began := s.catchUps.Add(1), s.written.count.Load(), d.registry.now()
	err := d.read(ctx, s)
	if err == nil {
		s.seenWrites.Store(rung)
		s.seenTime.Store(began.UnixNano())
	}
	if err == nil || ctx.Err() == nil { // otherwise the error may be this caller's own
		s.last = caughtUp{this, err}
	}
	return err
}

// read does the work of catchUp, which holds the semaphore.
func (d *Directory) read(ctx context.Context, s *tenantDirectory) error {
	for {
		s.mu.RLock()
		loaded, revision := s.loaded, s.revision
		s.mu.RUnlock()
		if !loaded {
			return d.load(ctx, s)
		}
		entries, err := d.registry.log.Changes(ctx, s.tenant, revision, directoryChunk)
		if fault.ReasonOf(err) == "REVISION_GONE" {
			return d.load(ctx, s)
		}
		if err != nil || len(entries) == 0 {
			return err
		}
		if err := d.apply(ctx, s, entries); err != nil {
			return err
		}
	}
}

// apply reads the current state of everything that the entries are about, and puts it into the directory.
func (d *Directory) apply(ctx context.Context, s *tenantDirectory, entries []Entry) error {
	changed, keys, mappings := changesIn(s.tenant, entries)
	records, err := d.readAgents(ctx, s.tenant, changed)
	if err != nil {
		return err
	}
	pulses, err := d.registry.store.Pulses(ctx, keys...)
	if err != nil {
		return err
	}
	var table *compat.Table
	if mappings {
		if table, err = d.registry.typeTable(ctx, s.tenant); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.applyChanges(records, table)
	for _, key := range keys {
		s.setPulse(key, pulses)
		if s.newer != nil {
			s.newer[key.Name] = true
		}
	}
	s.revision = entries[len(entries)-1].Revision
	return nil
}

// changesIn returns the names of the agents that have changed themselves, the keys of those and of the agents whose status has changed, each once, and
// whether mappings have changed.
func changesIn(tenant string, entries []Entry) (agents []string, keys []Key, mappings bool) {
	itself := make(map[string]bool) // by agent: whether more than its status has changed
	for _, e := range entries {
		if e.Type == ChangeMapping {
			mappings = true
		} else {
			itself[e.Agent] = itself[e.Agent] || e.Type != ChangeStatus
		}
	}
	for name, changed := range itself {
		keys = append(keys, Key{tenant, name})
		if changed {
			agents = append(agents, name)
		}
	}
	return agents, keys, mappings
}

// readAgents reads agents by their names, without RawCard. Those that do not exist are nil.
func (d *Directory) readAgents(ctx context.Context, tenant string, names []string) (map[string]*Agent, error) {
	agents := make(map[string]*Agent, len(names))
	for _, name := range names {
		agents[name] = nil
	}
	for chunk := range slices.Chunk(names, watchChunk) {
		found, err := d.registry.store.Agents(ctx, Query{Tenant: tenant, Names: chunk, Limit: len(chunk)})
		if err != nil {
			return nil, err
		}
		for i := range found {
			a := found[i].Agent
			a.RawCard = nil
			agents[a.Name] = &a
		}
	}
	return agents, nil
}

// applyChanges puts changes into the directory: agents, where nil stands for a deleted one, and the type table if it is not nil.
func (s *tenantDirectory) applyChanges(records map[string]*Agent, table *compat.Table) {
	for name, a := range records {
		s.remove(name)
		if a != nil {
			s.put(a)
		}
	}
	if table != nil {
		s.ports.Types = table
	}
	if table != nil || len(records) > 0 {
		s.edition++
	}
}

// load reads everything. It reads the revision first, so that changes made meanwhile are read again. The directory gets everything in one step: agents
// without their pulses would count as never heard of, and as not drained.
func (d *Directory) load(ctx context.Context, s *tenantDirectory) error {
	fresh := newAgentIndex()
	head, err := d.registry.log.Head(ctx, s.tenant)
	if err != nil {
		return err
	}
	if fresh.ports.Types, err = d.registry.typeTable(ctx, s.tenant); err != nil {
		return err
	}
	err = d.registry.everyAgent(ctx, s.tenant, directoryChunk, func(records []Record) error {
		keys := make([]Key, len(records))
		for i := range records {
			fresh.put(&records[i].Agent)
			keys[i] = records[i].Key()
		}
		pulses, err := d.registry.store.Pulses(ctx, keys...)
		for _, key := range keys {
			fresh.setPulse(key, pulses)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agentIndex, s.revision, s.loaded = fresh, head, true
	s.edition++
	s.newer = nil
	return nil
}
