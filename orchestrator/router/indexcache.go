package router

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/pause"
)

const (
	maxTenants        = 1000 // tenants that are indexed at a time; a small one takes 0.2 MB
	maxInlineTraining = 200  // examples and skills from which an index learns while a caller waits, once for each tenant; from more it learns in the background
)

// indexCache keeps an index of the agents of each tenant. Decisions use the index that exists; Run rebuilds it when it is outdated.
type indexCache struct {
	directory      Directory
	now            func() time.Time
	staleViews     chan struct{} // holds one token when a view is outdated
	untrainedTexts chan struct{} // holds one token when texts need training
	newSkills      chan struct{} // holds one token when there may be skills that the second stage has not read

	mu      sync.Mutex
	tenants map[string]*tenantIndexes // by tenant; guarded by mu
}

// tenantIndexes is one tenant's indexes.
type tenantIndexes struct {
	tenant   string
	used     time.Time  // the last time; guarded by mu of indexCache
	building sync.Mutex // held while building the indexes
	view     atomic.Pointer[view]
	texts    atomic.Pointer[textIndex]
}

func newIndexCache(d Directory, now func() time.Time) *indexCache {
	return &indexCache{
		directory: d, now: now, staleViews: make(chan struct{}, 1), untrainedTexts: make(chan struct{}, 1), newSkills: make(chan struct{}, 1), tenants: make(map[string]*tenantIndexes),
	}
}

// view returns the tenant's agents, perhaps not the very latest.
func (c *indexCache) view(tenant string) *view {
	s := c.tenant(tenant)
	v := s.view.Load()
	if v == nil {
		return c.refreshView(s)
	}
	if v.Edition != c.directory.Edition(tenant) {
		notify(c.staleViews)
	}
	return v
}

// textIndex returns the tenant's index of texts, perhaps not the very latest.
func (c *indexCache) textIndex(tenant string) *textIndex {
	s := c.tenant(tenant)
	x := s.texts.Load()
	if x == nil {
		return c.refreshTexts(s)
	}
	if x.edition != c.directory.Edition(tenant) {
		notify(c.staleViews)
	}
	return x
}

// refresh rebuilds a tenant's outdated indexes.
func (c *indexCache) refresh(s *tenantIndexes) {
	edition := c.directory.Edition(s.tenant)
	if v := s.view.Load(); v != nil && v.Edition != edition {
		c.refreshView(s)
	}
	if x := s.texts.Load(); x != nil && x.edition != edition {
		c.refreshTexts(s)
	}
}

// indexes are the indexes of a tenant at one time; nil for those that nobody has used.
type indexes struct {
	view  *view
	texts *textIndex
}

func (c *indexCache) indexes(tenant string) indexes {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.tenants[tenant]
	if !ok {
		return indexes{}
	}
	return indexes{s.view.Load(), s.texts.Load()}
}

func (c *indexCache) refreshView(s *tenantIndexes) *view {
	s.building.Lock()
	defer s.building.Unlock()
	v := s.view.Load()
	if v == nil || v.Edition != c.directory.Edition(s.tenant) {
		v = newView(c.directory.Listing(s.tenant))
		s.view.Store(v)
		notify(c.newSkills)
	}
	return v
}

// Run updates indexes and learns from examples until ctx ends. Decisions do not wait for it and use what exists, except those that would be refusals.
func (r *Router) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	c := r.indexes
	running.Go(func() { c.runWorker(ctx, c.staleViews, c.refresh) })
	running.Go(func() { c.runWorker(ctx, c.untrainedTexts, func(s *tenantIndexes) { c.train(ctx, s) }) })
	if r.secondStage != nil {
		running.Go(func() { r.embedAllSkills(ctx) })
	}
}

// idleFactor is how many times as long as its work a worker pauses afterwards, so that many registrations in a row do not take all of the CPU.
const idleFactor = 4

// runWorker calls do for each tenant whenever something is due, until ctx ends.
func (c *indexCache) runWorker(ctx context.Context, due <-chan struct{}, do func(*tenantIndexes)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-due:
		}
		begin := time.Now()
		for _, s := range c.all() {
			do(s)
		}
		if pause.For(ctx, idleFactor*time.Since(begin)) != nil {
			return
		}
	}
}

// notify puts a token into c unless it holds one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (c *indexCache) all() []*tenantIndexes {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*tenantIndexes
	for _, s := range c.tenants {
		list = append(list, s)
	}
	return list
}

// tenant returns a tenant's indexes, for use.
func (c *indexCache) tenant(tenant string) *tenantIndexes {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.tenants[tenant]
	if !ok {
		if len(c.tenants) >= maxTenants {
			c.dropLeastUsed()
		}
		s = &tenantIndexes{tenant: tenant}
		c.tenants[tenant] = s
	}
	s.used = c.now()
	return s
}

// dropLeastUsed drops the indexes that were not used for longest. The caller holds mu.
func (c *indexCache) dropLeastUsed() {
	var least *tenantIndexes
	for _, s := range c.tenants {
		if least == nil || s.used.Before(least.used) {
			least = s
		}
	}
	delete(c.tenants, least.tenant)
}
