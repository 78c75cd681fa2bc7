package consultation

import "slices"

// Phases of a task in which an agent can be consulted.
const (
	PhasePreExecution  = "pre-execution"
	PhaseDesignReview  = "design-review"
	PhasePreCompletion = "pre-completion"
	PhaseOnError       = "on-error"
)

// KnownPhase reports whether phase is one of the four.
func KnownPhase(phase string) bool {
	return slices.Contains([]string{PhasePreExecution, PhaseDesignReview, PhasePreCompletion, PhaseOnError}, phase)
}

// Requirement is one rule of an agent: whom to consult, and when.
type Requirement struct {
	ID          string // unique within the agent
	TargetAgent string
	Phase       string
	Mandatory   bool       // whether it blocks; a recommended one only warns
	MinLevel    string     `json:",omitempty"` // lowest level of evidence that counts, if it is higher than the policy's; may be empty
	Condition   *Condition // nil means always
}

// Attributes are what the submitter declared about a task, as JSON values: string, float64, bool, []any, map[string]any or nil.
type Attributes map[string]any
