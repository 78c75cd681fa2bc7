package router

import (
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/registry/agentcard"
)

const (
	relatedTypeFactor  = 0.9 // relevance when the output's type is not the wanted one but may stand for it
	unguaranteedFactor = 0.8 // when the output is not guaranteed
	unusedInputsFactor = 0.7 // when no available input is used
)

// match says how an agent fulfils a contract. The zero value is for an agent that was not found by a contract.
type match struct {
	want       *orchestrator.Contract
	output     *agentcard.OutputSchema
	usedInputs int // how many of the available inputs it uses
}

// byRelatedType reports whether the output's type is not the wanted one but may stand for it.
func (m *match) byRelatedType() bool {
	kind := m.want.Output.SemanticType
	return kind != "" && kind != m.output.SemanticType
}

func (m *match) relevance() float64 {
	x := 1.0
	if m.byRelatedType() {
		x *= relatedTypeFactor
	}
	if !m.output.Guaranteed {
		x *= unguaranteedFactor
	}
	if n := len(m.want.Inputs); n > 0 {
		x *= unusedInputsFactor + (1-unusedInputsFactor)*float64(m.usedInputs)/float64(n)
	}
	return x
}
