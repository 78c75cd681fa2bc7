package router

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry/agentcard"
)

// resource is something that is available, with its JSON Schema if that is known.
type resource struct {
	orchestrator.Typed
	schema map[string]any
}

func resources(list []orchestrator.Typed) []resource {
	out := make([]resource, len(list))
	for i, t := range list {
		out[i].Typed = t
	}
	return out
}

// fits reports whether something may be given as an input: by name when its type is unknown, otherwise by type, and, when both have a JSON Schema,
// only if its schema is within the input's.
func (v *view) fits(have *resource, in *agentcard.InputSchema) bool {
	if have.SemanticType == "" {
		return have.Name == in.Name
	}
	if !v.Related(have.SemanticType, in.SemanticType) {
		return false
	}
	return have.schema == nil || in.JSONSchema == nil || v.schemas.within(have, in)
}
