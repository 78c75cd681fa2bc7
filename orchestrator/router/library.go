package router

import (
	"context"
	"hash/maphash"
	"sync"

	"github.com/quorate/quorate/orchestrator/router/text"
	"github.com/quorate/quorate/registry"
)

const (
	maxShelves = 64   // tenants whose index is kept
	quickly    = 1000 // examples that are learned from while a caller waits; more are learned from in the background
)

// library keeps an index of texts for each tenant, made anew when an agent's registration has changed.
type library struct {
	seed maphash.Seed
	wake chan struct{} // holds one token when an index waits for training

	mu      sync.Mutex
	shelves map[string]*shelf // by tenant; guarded by mu
}

// shelf is one tenant's index.
type shelf struct {
	mu      sync.Mutex // held while the index is made
	version uint64     // of the agents that it was made of
	index   *text.Index
	skills  []text.Skill // to be trained with; nil when nothing is left to do
}

func newLibrary() *library {
	return &library{seed: maphash.MakeSeed(), wake: make(chan struct{}, 1), shelves: make(map[string]*shelf)}
}

// Run trains indexes that are too large to be trained while a caller waits, until ctx ends. Until an index is
// trained it compares words.
func (r *Router) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.library.wake:
			for _, s := range r.library.all() {
				s.train(ctx)
			}
		}
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

func (s *shelf) train(ctx context.Context) {
	s.mu.Lock()
	skills, version := s.skills, s.version
	s.mu.Unlock()
	if skills == nil {
		return
	}
	index := text.New(skills, text.Options{Stop: ctx.Done()})
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version == version { // otherwise it is out of date, and the one that is there is waiting in turn
		s.index, s.skills = index, nil
	}
}

// index returns the index of a tenant's agents as they are now.
func (l *library) index(tenant string, agents []registry.Agent) *text.Index {
	s := l.shelf(tenant)
	var h maphash.Hash
	h.SetSeed(l.seed)
	for i := range agents {
		maphash.WriteComparable(&h, [2]string{agents[i].Name, agents[i].Etag})
	}
	version := h.Sum64()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != nil && s.version == version {
		return s.index
	}
	skills, examples := skillTexts(agents)
	later := examples > quickly
	s.version, s.index, s.skills = version, text.New(skills, text.Options{Untrained: later}), nil
	if later {
		s.skills = skills
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return s.index
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
		s = &shelf{}
		l.shelves[tenant] = s
	}
	return s
}

// skillTexts is what agents' cards and contracts say of their skills.
func skillTexts(agents []registry.Agent) (skills []text.Skill, examples int) {
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
