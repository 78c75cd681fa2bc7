package router

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/orchestrator/router/text"
	"github.com/quorate/quorate/platform/pause"
	"github.com/quorate/quorate/registry"
)

const (
	maxShelves = 64  // tenants that are indexed at a time
	quickly    = 200 // examples and skills from which an index learns while a caller waits, once for each tenant; from more it learns in the background
)

// library keeps an index of the agents of each tenant. Decisions use the index that exists; Run rebuilds it when it is outdated.
type library struct {
	directory Directory
	stale     chan struct{} // holds one token when a shelf is outdated
	untrained chan struct{} // holds one token when texts need training
	unread    chan struct{} // holds one token when there may be skills that the second stage has not read

	mu      sync.Mutex
	shelves map[string]*shelf // by tenant; guarded by mu
}

// shelf is one tenant's indexes.
type shelf struct {
	tenant   string
	building sync.Mutex // held while building the indexes
	view     atomic.Pointer[view]
	texts    atomic.Pointer[texts]
}

// view holds one edition of a tenant's agents, by what they make.
type view struct {
	registry.Listing
	byType map[string][]int // positions of agents, in order, by the semantic type of an output
	byName map[string][]int // the same by the name of an output

	works           // for planning chains
	schemas schemas // results of comparing their schemas
}

// texts finds the skills of one edition by text.
type texts struct {
	edition uint64
	index   *text.Index
	learned bool // it was trained with the examples of this edition
}

func newLibrary(d Directory) *library {
	return &library{directory: d, stale: make(chan struct{}, 1), untrained: make(chan struct{}, 1), unread: make(chan struct{}, 1), shelves: make(map[string]*shelf)}
}

func newView(list registry.Listing) *view {
	v := &view{Listing: list, byType: make(map[string][]int), byName: make(map[string][]int)}
	add := func(by map[string][]int, key string, at int) {
		if l := by[key]; len(l) == 0 || l[len(l)-1] != at {
			by[key] = append(l, at)
		}
	}
	for at, a := range list.Agents {
		for i := range a.Metadata.OutputSchemas {
			add(v.byType, a.Metadata.OutputSchemas[i].SemanticType, at)
			add(v.byName, a.Metadata.OutputSchemas[i].Name, at)
		}
	}
	v.works = worksOf(list.Agents)
	return v
}

// current reports whether the view is as recent as the directory.
func (v *view) current(d Directory, tenant string) bool {
	return v != nil && v.Edition == d.Edition(tenant)
}

// view returns the tenant's agents, perhaps not the very latest.
func (l *library) view(tenant string) *view {
	s := l.shelf(tenant)
	v := s.view.Load()
	if v == nil {
		return l.renewView(s)
	}
	if v.Edition != l.directory.Edition(tenant) {
		poke(l.stale)
	}
	return v
}

// texts returns the tenant's index of texts, perhaps not the very latest.
func (l *library) texts(tenant string) *texts {
	s := l.shelf(tenant)
	x := s.texts.Load()
	if x == nil {
		return l.renewTexts(s)
	}
	if x.edition != l.directory.Edition(tenant) {
		poke(l.stale)
	}
	return x
}

// renew rebuilds the outdated indexes of a tenant.
func (l *library) renew(tenant string) {
	s, edition := l.shelf(tenant), l.directory.Edition(tenant)
	if v := s.view.Load(); v != nil && v.Edition != edition {
		l.renewView(s)
	}
	if x := s.texts.Load(); x != nil && x.edition != edition {
		l.renewTexts(s)
	}
}

// indexes are the indexes of a tenant at one time; nil for those that nobody has used.
type indexes struct {
	view  *view
	texts *texts
}

func (l *library) indexes(tenant string) indexes {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.shelves[tenant]
	if !ok {
		return indexes{}
	}
	return indexes{s.view.Load(), s.texts.Load()}
}

func (l *library) renewView(s *shelf) *view {
	s.building.Lock()
	defer s.building.Unlock()
	v := s.view.Load()
	if v == nil || v.Edition != l.directory.Edition(s.tenant) {
		v = newView(l.directory.Listing(s.tenant))
		s.view.Store(v)
		poke(l.unread)
	}
	return v
}

// renewTexts indexes the words of what is new. What was learned from examples before is kept; learning from new ones comes later.
func (l *library) renewTexts(s *shelf) *texts {
	v := l.renewView(s)
	s.building.Lock()
	defer s.building.Unlock()
	old := s.texts.Load()
	if old != nil && old.edition >= v.Edition {
		return old
	}
	skills, examples := skillTexts(v.Agents)
	x := &texts{edition: v.Edition}
	switch {
	case old != nil:
		x.index = old.index.Renew(skills)
	case examples+len(skills) <= quickly:
		x.index, x.learned = text.New(skills, text.Options{}), true
	default:
		x.index = text.New(skills, text.Options{Untrained: true})
	}
	s.texts.Store(x)
	if !x.learned {
		poke(l.untrained)
	}
	return x
}

// learn trains a tenant's index with its current examples.
func (l *library) learn(ctx context.Context, s *shelf) {
	x := s.texts.Load()
	if x == nil || x.learned {
		return
	}
	v := l.renewView(s)
	skills, _ := skillTexts(v.Agents)
	index := text.New(skills, text.Options{Stop: ctx.Done()})
	if ctx.Err() != nil {
		return
	}
	s.building.Lock()
	defer s.building.Unlock()
	if now := s.texts.Load(); now.edition > v.Edition { // new words were indexed meanwhile
		skills, _ = skillTexts(s.view.Load().Agents)
		s.texts.Store(&texts{edition: now.edition, index: index.Renew(skills)})
		poke(l.untrained)
		return
	}
	s.texts.Store(&texts{edition: v.Edition, index: index, learned: true})
}

// Run updates indexes and learns from examples until ctx ends. Decisions do not wait for it and use what exists, except those that would be refusals.
func (r *Router) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	l := r.library
	running.Go(func() { l.work(ctx, l.stale, func(s *shelf) { l.renew(s.tenant) }) })
	if r.second != nil {
		running.Go(func() { r.readAll(ctx) })
	}
	running.Go(func() { l.work(ctx, l.untrained, func(s *shelf) { l.learn(ctx, s) }) })
}

// rest is how many times as long as its work a worker pauses afterwards, so that many registrations in a row do not take all of the CPU.
const rest = 4

func (l *library) work(ctx context.Context, due <-chan struct{}, do func(*shelf)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-due:
		}
		begin := time.Now()
		for _, s := range l.all() {
			do(s)
		}
		if pause.For(ctx, rest*time.Since(begin)) != nil {
			return
		}
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (l *library) all() []*shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*shelf
	for _, s := range l.shelves {
		list = append(list, s)
	}
	return list
}

// shelf returns a tenant's shelf. When there are too many, it drops an arbitrary other one.
func (l *library) shelf(tenant string) *shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.shelves[tenant]
	if !ok {
		for other := range l.shelves {
			if len(l.shelves) < maxShelves {
				break
			}
			delete(l.shelves, other)
		}
		s = &shelf{tenant: tenant}
		l.shelves[tenant] = s
	}
	return s
}

// skillTexts returns what agents' cards and contracts say about their skills.
func skillTexts(agents []*registry.Agent) (skills []text.Skill, examples int) {
	for _, a := range agents {
		var inputs, outputs []string
		for _, in := range a.Metadata.InputSchemas {
			inputs = append(inputs, in.Name, in.Description)
		}
		for _, out := range a.Metadata.OutputSchemas {
			outputs = append(outputs, out.Name, out.Description)
		}
		for _, s := range a.Card.Skills {
			skills = append(skills, text.Skill{
				Agent: a.Name, ID: s.ID, AgentDescription: a.Card.Description, Name: s.Name, Description: s.Description,
				Tags: s.Tags, Examples: s.Examples, Inputs: inputs, Outputs: outputs,
			})
			examples += len(s.Examples)
		}
	}
	return skills, examples
}
