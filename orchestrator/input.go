package orchestrator

import "github.com/a2aproject/a2a-go/v2/a2apb/v1"

// MaxInputs is how many named inputs a task may have.
const MaxInputs = 64

// Input is one named input of a task.
type Input struct {
	Name         string
	SemanticType string // empty when unknown
	Parts        []*a2apb.Part
}

// Given says which of its agent's inputs a submitted input is used for.
type Given struct {
	Typed

	As string
}
