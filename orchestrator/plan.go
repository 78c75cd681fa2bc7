package orchestrator

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// Modes of a plan: how many of its steps must be completed.
const (
	PlanChain = "chain"  // all, each after those that it depends on
	PlanAll   = "all"    // all, at the same time
	PlanAny   = "any"    // one
	PlanK     = "k_of_n" // as many as K says
)

// Limits of a fan-out, in agents.
const (
	DefaultFanOut = 5
	MaxFanOut     = 20
)

// FanOut asks for a task to be done by several agents.
type FanOut struct {
	Mode   string // PlanAll, PlanAny or PlanK
	K      int    // with PlanK: how many must complete it
	Agents int    // how many are asked at most; 0 is DefaultFanOut
}

// Plan says how a task is done through other tasks, one for each step.
type Plan struct {
	Mode   string
	Need   int     // how many steps must be completed
	Inputs []Typed // inputs of the task, whose parts are in its message
	Steps  []Step
	Asking *Asking `json:",omitempty"` // not nil while the task waits because a step does; replaced, never modified
}

// Asking identifies the step whose task waits, when that makes the task of the plan wait.
type Asking struct {
	Step  int // from 1
	State a2apb.TaskState
	Turns int    // how many turns the step's task had when it began to wait: tells its questions apart
	Gate  string `json:",omitempty"` // what a gate blocks the step's task for; empty when its agent asks a question
}

// Step is one part of a plan. Once started, it has a task, and State is the state of that.
type Step struct {
	Link

	Skill  string `json:",omitempty"`
	TaskID string `json:",omitempty"`
	State  a2apb.TaskState
	Error  *Error `json:",omitempty"`
	Tries  int    `json:",omitempty"` // failed attempts to start it
}

// Completed counts the completed steps.
func (p *Plan) Completed() (n int) {
	for i := range p.Steps {
		if p.Steps[i].State == a2apb.TaskState_TASK_STATE_COMPLETED {
			n++
		}
	}
	return n
}

// Due reports whether a step can be started: it has not been started yet, and what it takes exists.
func (p *Plan) Due(i int) bool {
	s := &p.Steps[i]
	return s.TaskID == "" && !Terminal(s.State) && !slices.ContainsFunc(s.Takes, func(t Take) bool {
		return t.From > 0 && p.Steps[t.From-1].State != a2apb.TaskState_TASK_STATE_COMPLETED
	})
}

// CannotComplete reports whether a step can no longer be completed: it has ended in another way, or a step that it needs has.
func (p *Plan) CannotComplete(i int) bool {
	s := &p.Steps[i]
	if Terminal(s.State) {
		return s.State != a2apb.TaskState_TASK_STATE_COMPLETED
	}
	return slices.ContainsFunc(s.Takes, func(t Take) bool { return t.From > 0 && p.CannotComplete(t.From-1) })
}

// Waiting returns the step for which the task waits, or nil.
func (p *Plan) Waiting() *Step {
	if p == nil || p.Asking == nil {
		return nil
	}
	return &p.Steps[p.Asking.Step-1]
}

// CannotSucceed reports whether too few steps can still be completed.
func (p *Plan) CannotSucceed() bool {
	left := 0
	for i := range p.Steps {
		if !p.CannotComplete(i) {
			left++
		}
	}
	return left < p.Need
}

// Chain returns the links of a chain with the agents that do them now; nil for any other plan.
func (p *Plan) Chain() (list []Link) {
	if p.Mode != PlanChain {
		return nil
	}
	for i := range p.Steps {
		list = append(list, p.Steps[i].Link)
	}
	return list
}

// ForgetErrors removes why steps have failed, which their tasks say, too.
func (p *Plan) ForgetErrors() {
	for i := range p.Steps {
		p.Steps[i].Error = nil
	}
}

// Clone returns a copy of the plan whose steps may be changed.
func (p *Plan) Clone() *Plan {
	out := *p
	out.Steps = slices.Clone(p.Steps)
	return &out
}
