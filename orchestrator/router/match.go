package router

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry"
)

const (
	looseType   = 0.9 // relevance when the output's type only may stand for the wanted one
	notAlways   = 0.8 // when the output is not guaranteed
	unusedInput = 0.7 // when no input that is there is used
)

// match is how an agent fulfils a contract; the zero value is that of one that was not found by a contract.
type match struct {
	want   *orchestrator.Contract
	output *registry.OutputSchema
	used   int // of the inputs that are there
}

// loose reports whether the output's type only may stand for the wanted one.
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
