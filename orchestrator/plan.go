package orchestrator

import (
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// How many of a plan's steps have to be completed.
const (
	PlanChain = "chain"  // all, each when those before it are
	PlanAll   = "all"    // all, at the same time
	PlanAny   = "any"    // one
	PlanK     = "k_of_n" // as many as are asked for
)

// How many agents a task fans out to.
const (
	DefaultFanOut = 5
	MaxFanOut     = 20
)

// FanOut says that several agents are to do the same.
type FanOut struct {
	Mode   string // PlanAll, PlanAny or PlanK
	K      int    // with PlanK: how many have to complete it
	Agents int    // that are asked at most; 0 is DefaultFanOut
}

// Plan is how a task is done by others: each step is a task of its own.
type Plan struct {
	Mode   string
	Need   int     // steps that have to be completed
	Inputs []Typed // those of the task, whose parts are in its message
	Steps  []Step
	Asking *Asking `json:",omitempty"` // not nil while the task waits; replaced, never changed
}

// Asking says whose wait a task shows that waits because the task of one of its steps does.
type Asking struct {
	Step  int // from 1
	State a2apb.TaskState
	Turns int    // of the step's task when it began to wait: they tell one question from its next
	Gate  string `json:",omitempty"` // what a gate holds the step's task for; empty when its agent asks
}

// Step is one part of a plan. Once it is started it has a task, whose state it shows.
type Step struct {
	Link

	Skill  string `json:",omitempty"`
	TaskID string `json:",omitempty"`
	State  a2apb.TaskState
	Error  *Error `json:",omitempty"`
	Tries  int    `json:",omitempty"` // to start it that came to nothing
}

// Completed counts the steps that are.
func (p *Plan) Completed() (n int) {
	for i := range p.Steps {
		if p.Steps[i].State == a2apb.TaskState_TASK_STATE_COMPLETED {
			n++
		}
	}
	return n
}

// Due reports whether a step can be started: it is not yet, and what it takes is there.
func (p *Plan) Due(i int) bool {
	s := &p.Steps[i]
	return s.TaskID == "" && !Terminal(s.State) && !slices.ContainsFunc(s.Takes, func(t Take) bool {
		return t.From > 0 && p.Steps[t.From-1].State != a2apb.TaskState_TASK_STATE_COMPLETED
	})
}

// Dead reports whether a step will not be completed any more: it has ended otherwise, or one that it needs has.
func (p *Plan) Dead(i int) bool {
	s := &p.Steps[i]
	if Terminal(s.State) {
		return s.State != a2apb.TaskState_TASK_STATE_COMPLETED
	}
	return slices.ContainsFunc(s.Takes, func(t Take) bool { return t.From > 0 && p.Dead(t.From-1) })
}

// Running reports whether a step's task is under way.
func (p *Plan) Running(i int) bool { return p.Steps[i].TaskID != "" && !Terminal(p.Steps[i].State) }

// Waiting returns the step whose wait the task shows, or nil.
func (p *Plan) Waiting() *Step {
	if p == nil || p.Asking == nil {
		return nil
	}
	return &p.Steps[p.Asking.Step-1]
}

// Lost reports whether too few steps are left.
func (p *Plan) Lost() bool {
	left := 0
	for i := range p.Steps {
		if !p.Dead(i) {
			left++
		}
	}
	return left < p.Need
}

// Chain returns the links of a chain, by who does them now; nil of another plan.
func (p *Plan) Chain() (list []Link) {
	if p.Mode != PlanChain {
		return nil
	}
	for i := range p.Steps {
		list = append(list, p.Steps[i].Link)
	}
	return list
}

// Clone returns a plan whose steps may be changed.
func (p *Plan) Clone() *Plan {
	out := *p
	out.Steps = slices.Clone(p.Steps)
	return &out
}
