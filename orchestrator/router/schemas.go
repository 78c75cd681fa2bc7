package router

import (
	"sync"

	"github.com/quorate/quorate/registry"
)

// maxCompared bounds the memory of schemas.
const maxCompared = 100_000

// schemas remembers which schemas are within which: to compare two takes longer than all else in a decision.
type schemas struct {
	mu       sync.Mutex
	compared map[pair]bool // guarded by mu
}

// pair is what an agent makes and what an agent takes. Both belong to the view and are read-only.
type pair struct {
	made  *thing
	input *registry.InputSchema
}

func (s *schemas) within(made *thing, in *registry.InputSchema) bool {
	key := pair{made, in}
	s.mu.Lock()
	within, known := s.compared[key]
	s.mu.Unlock()
	if known {
		return within
	}
	within, _ = registry.SchemaWithin(made.schema, in.JSONSchema)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compared == nil || len(s.compared) >= maxCompared {
		s.compared = make(map[pair]bool)
	}
	s.compared[key] = within
	return within
}
