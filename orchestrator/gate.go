package orchestrator

import (
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
)

// Gate is the latest consultation check of a phase.
type Gate struct {
	Phase        Phase
	Allowed      bool
	Digest       string // of the content that was judged
	Requirements []consultation.RequirementVerdict
	CheckTime    time.Time
}

// HasGate reports whether the task's agent has a requirement in a phase. Phases without one are passed without a check. A requirement of a phase that
// is not known, for example one of a newer version, belongs to each phase: nothing meets it.
func (t *Task) HasGate(p Phase) bool {
	return slices.ContainsFunc(t.Requirements, func(r consultation.Requirement) bool {
		return r.Phase == string(p) || !consultation.KnownPhase(r.Phase)
	})
}

// Passed reports whether the gate of a phase was open when it was last checked. It is false for a phase without a gate.
func (t *Task) Passed(p Phase) bool {
	return slices.ContainsFunc(t.Gates, func(g Gate) bool { return g.Phase == p && g.Allowed })
}

// SetGate records the latest check of a phase and replaces the one before.
func (t *Task) SetGate(g Gate) {
	gates := slices.DeleteFunc(slices.Clone(t.Gates), func(old Gate) bool { return old.Phase == g.Phase })
	gates = append(gates, g)
	t.Gates = gates
}

// Blocked reports whether a gate holds the task, or the step for which it waits, until a consultation takes place.
func (t *Task) Blocked() bool {
	switch {
	case t.State != a2apb.TaskState_TASK_STATE_INPUT_REQUIRED:
		return false
	case t.Plan != nil:
		return t.Plan.Asking != nil && t.Plan.Asking.Gate != ""
	case len(t.Gates) == 0:
		return false
	}
	last := t.Gates[len(t.Gates)-1]
	return last.Phase == t.Phase && !last.Allowed
}

// Guarded reports whether a mandatory requirement that applies still holds back the agent's work from the caller.
func (t *Task) Guarded() bool {
	for _, r := range t.Requirements {
		if !r.Mandatory || r.Phase == string(PhasePreExecution) || r.Phase == string(PhaseOnError) {
			continue
		}
		if !consultation.KnownPhase(r.Phase) { // it is never met
			return true
		}
		if holds, _ := r.Condition.Holds(t.Attributes); holds {
			return true
		}
	}
	return false
}

// HeldQuestion stands for what the task's agent asks, as long as a review stands between its words and the caller.
func (t *Task) HeldQuestion() *a2apb.Message {
	const says = "the agent asks its caller; its words are held back, since a review stands between it and the caller"
	return &a2apb.Message{
		MessageId: t.TurnID(len(t.Turns)), Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: says}}},
	}
}

// MessageHeld reports whether the agent does not get the message yet, or never will: what has to be met before its work was not met.
func (t *Task) MessageHeld() bool {
	return t.HasGate(PhasePreExecution) && !t.Passed(PhasePreExecution)
}
