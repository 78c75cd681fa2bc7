package router

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

const (
	looseType   = 0.9 // relevance when the output's type is not the wanted one but may stand for it
	notAlways   = 0.8 // when the output is not guaranteed
	unusedInput = 0.7 // when no available input is used
)

// match says how an agent fulfils a contract. The zero value is for an agent that was not found by a contract.
type match struct {
	want   *orchestrator.Contract
	output *registry.OutputSchema
	used   int // how many of the available inputs it uses
}

// loose reports whether the output's type is not the wanted one but may stand for it.
func (m *match) loose() bool {
	kind := m.want.Output.SemanticType
	return kind != "" && kind != m.output.SemanticType
}

func (m *match) relevance() float64 {
	x := 1.0
	if m.loose() {
		x *= looseType
	}
	if !m.output.Guaranteed {
		x *= notAlways
	}
	if n := len(m.want.Inputs); n > 0 {
		x *= unusedInput + (1-unusedInput)*float64(m.used)/float64(n)
	}
	return x
}
