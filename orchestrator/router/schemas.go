package router

import (
	"sync"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/schema"
)

// maxCompared bounds how many comparisons a schemaCache remembers.
const maxCompared = 100_000

// schemaCache remembers which schemas are within which others: comparing two takes longer than the rest of a decision.
type schemaCache struct {
	mu       sync.Mutex
	compared map[comparison]bool // guarded by mu
}

// comparison is the schema of an output and that of an input. Both belong to the view and are read-only.
type comparison struct {
	made  *resource
	input *agentcard.InputSchema
}

func (s *schemaCache) within(made *resource, in *agentcard.InputSchema) bool {
	key := comparison{made, in}
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
		s.compared = make(map[comparison]bool)
	}
	s.compared[key] = within
	return within
}
