package router

import (
	"sync"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/schema"
)

// maxCompared bounds how many comparisons a schemas remembers.
const maxCompared = 100_000

// schemas remembers which schemas are within which others: comparing two takes longer than the rest of a decision.
type schemas struct {
	mu       sync.Mutex
	compared map[pair]bool // guarded by mu
}

// pair is the schema of an output and that of an input. Both belong to the view and are read-only.
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
	within, _ = schema.Within(made.schema, in.JSONSchema)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compared == nil || len(s.compared) >= maxCompared {
		s.compared = make(map[pair]bool)
	}
	s.compared[key] = within
	return within
}
