package orchestrator

import "github.com/a2aproject/a2a-go/v2/a2apb/v1"

// MaxInputs is how many named inputs a task may have.
const MaxInputs = 64

// Input is one named input of a task.
type Input struct {
	Name         string
	SemanticType string // empty when it is not known
	Parts        []*a2apb.Part
}

// Given says as which of its agent's inputs a task's message has one that was submitted.
type Given struct {
	Typed

	As string
}
