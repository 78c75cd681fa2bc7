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
	maxShelves = 64  // tenants that are indexed
	quickly    = 200 // examples and skills that are learned from while a caller waits, once for a tenant; more are learned from in the background
)

// library keeps for each tenant an index of its agents. Decisions read what is there; Run makes anew what is out of date.
type library struct {
	directory Directory
	stale     chan struct{} // holds one token when a shelf is out of date
	untrained chan struct{} // holds one token when texts wait for training
	unread    chan struct{} // holds one token when there are skills that the second stage may not have read

	mu      sync.Mutex
	shelves map[string]*shelf // by tenant; guarded by mu
}

// shelf is one tenant's indexes.
type shelf struct {
	tenant   string
	building sync.Mutex // held by whoever makes the indexes anew
	view     atomic.Pointer[view]
	texts    atomic.Pointer[texts]
}

// view is a tenant's agents in one edition, by what they make.
type view struct {
	registry.Listing
	byType map[string][]int // places of agents, in order, by the semantic type of an output
	byName map[string][]int // by the name of an output

	works           // what chains are made of
	schemas schemas // of theirs, compared
}

// texts is what the skills of one edition are found by.
type texts struct {
	edition uint64
	index   *text.Index
	learned bool // from the examples of this edition
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

// current reports whether the agents are as the directory knows them.
func (v *view) current(d Directory, tenant string) bool {
	return v != nil && v.Edition == d.Edition(tenant)
}

// view returns the agents as they were a moment ago.
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

// texts returns what finds the skills as they were a moment ago.
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

// renew brings a tenant's indexes up to date.
func (l *library) renew(tenant string) {
	s, edition := l.shelf(tenant), l.directory.Edition(tenant)
	if v := s.view.Load(); v != nil && v.Edition != edition {
		l.renewView(s)
	}
	if x := s.texts.Load(); x != nil && x.edition != edition {
		l.renewTexts(s)
	}
}

// indexes are a tenant's at one time; nil where nobody has asked for one.
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

// renewTexts takes in the words of what is new. What was learned from examples before stays; the new ones are learned from later.
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

// learn trains a tenant's index with the examples of today.
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
	if now := s.texts.Load(); now.edition > v.Edition { // words came meanwhile
		skills, _ = skillTexts(s.view.Load().Agents)
		s.texts.Store(&texts{edition: now.edition, index: index.Renew(skills)})
		poke(l.untrained)
		return
	}
	s.texts.Store(&texts{edition: v.Edition, index: index, learned: true})
}

// Run brings indexes up to date, and learns from examples, until ctx ends. Decisions do not wait for it: apart from those that would be
// refusals, they are made by what is there.
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

// rest is how many times as long as its work a worker rests after it, so that a stream of registrations leaves the processor to others.
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

// shelf returns a tenant's shelf. When there are too many, any other one is thrown away.
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

// skillTexts is what agents' cards and contracts say of their skills.
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
