package orchestrator_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

const (
	waiting = a2apb.TaskState_TASK_STATE_INPUT_REQUIRED
	working = a2apb.TaskState_TASK_STATE_WORKING
)

func rule(p orchestrator.Phase) consultation.Requirement {
	return consultation.Requirement{ID: string(p), TargetAgent: "reviewer", Phase: string(p), Mandatory: true}
}

func TestAnOpenGateOpensItsOwnPhaseOnly(t *testing.T) {
	t.Parallel()
	const reviewed, other = orchestrator.PhasePreExecution, orchestrator.PhaseOnError
	task := &orchestrator.Task{Requirements: []consultation.Requirement{rule(reviewed)}}
	if task.Passed(reviewed) || !task.MessageHeld() {
		t.Error("before the first check the gate is open, or the message is not held")
	}
	task.SetGate(orchestrator.Gate{Phase: other, Allowed: true})
	if task.Passed(reviewed) || !task.Passed(other) || !task.MessageHeld() {
		t.Errorf("the gate of %s is open by that of %s, want it closed and the message held", reviewed, other)
	}
	task.SetGate(orchestrator.Gate{Phase: reviewed, Allowed: true})
	if !task.Passed(reviewed) || task.MessageHeld() {
		t.Errorf("the gates are %+v, want that of %s open", task.Gates, reviewed)
	}
	before := task.Gates
	task.SetGate(orchestrator.Gate{Phase: reviewed})
	if task.Passed(reviewed) || !task.Passed(other) || len(task.Gates) != 2 || !before[1].Allowed {
		t.Errorf("the gates are %+v, want the latest check of %s to count, and those that were read before as they were: %+v", task.Gates, reviewed, before)
	}
}

func TestATaskHasAGateWhereItHasARequirement(t *testing.T) {
	t.Parallel()
	known := &orchestrator.Task{Requirements: []consultation.Requirement{rule(orchestrator.PhasePreExecution)}}
	unknown := &orchestrator.Task{Requirements: []consultation.Requirement{rule("post-completion")}}
	for p, want := range map[orchestrator.Phase]bool{orchestrator.PhasePreExecution: true, orchestrator.PhaseOnError: false} {
		if known.HasGate(p) != want {
			t.Errorf("HasGate(%s) = %t, want %t", p, !want, want)
		}
		if !unknown.HasGate(p) {
			t.Errorf("a requirement of a phase that is not known leaves %s without a gate, want one in each", p)
		}
	}
	if (&orchestrator.Task{}).MessageHeld() {
		t.Error("the message of a task without a gate is held, want that its agent gets it")
	}
}

func TestATaskIsBlockedByTheGateOfItsPhase(t *testing.T) {
	t.Parallel()
	closed := []orchestrator.Gate{{Phase: orchestrator.PhasePreExecution, Allowed: true}, {Phase: orchestrator.PhasePreCompletion}}
	for name, test := range map[string]struct {
		task orchestrator.Task
		want bool
	}{
		"its gate is closed":               {orchestrator.Task{State: waiting, Phase: orchestrator.PhasePreCompletion, Gates: closed}, true},
		"its gate is closed, it goes on":   {orchestrator.Task{State: working, Phase: orchestrator.PhasePreCompletion, Gates: closed}, false},
		"its gate is open":                 {orchestrator.Task{State: waiting, Phase: orchestrator.PhasePreExecution, Gates: closed[:1]}, false},
		"a gate of another phase":          {orchestrator.Task{State: waiting, Phase: orchestrator.PhaseExecution, Gates: closed}, false},
		"its agent asks":                   {orchestrator.Task{State: waiting, Phase: orchestrator.PhaseExecution}, false},
		"a step of it is blocked":          {orchestrator.Task{State: waiting, Plan: &orchestrator.Plan{Asking: &orchestrator.Asking{Step: 1, Gate: "CONSULTATION_MISSING"}}}, true},
		"the agent of a step of it asks":   {orchestrator.Task{State: waiting, Plan: &orchestrator.Plan{Asking: &orchestrator.Asking{Step: 1}}}, false},
		"it has a plan that waits for now": {orchestrator.Task{State: waiting, Plan: &orchestrator.Plan{}, Phase: orchestrator.PhasePreCompletion, Gates: closed}, false},
	} {
		if got := test.task.Blocked(); got != test.want {
			t.Errorf("%s: Blocked() = %t, want %t", name, got, test.want)
		}
		asks := test.task.Phase == orchestrator.PhaseExecution && test.task.State == waiting
		if got := test.task.AwaitsCaller(); got != asks {
			t.Errorf("%s: AwaitsCaller() = %t, want %t", name, got, asks)
		}
		if got := test.task.Waits(); got != (test.want || asks) {
			t.Errorf("%s: Waits() = %t, want %t", name, got, test.want || asks)
		}
		test.task.CancelAsked = true
		if test.task.Waits() {
			t.Errorf("%s: Waits() = true while it is being canceled, want false: it ends by itself", name)
		}
	}
}

func TestWorkIsGuardedUntilItsReviews(t *testing.T) {
	t.Parallel()
	secret := &consultation.Condition{Attribute: "secret", Operator: "equals", Value: true}
	change := func(r consultation.Requirement, how func(*consultation.Requirement)) consultation.Requirement {
		how(&r)
		return r
	}
	review := rule(orchestrator.PhasePreCompletion)
	for name, test := range map[string]struct {
		rule       consultation.Requirement
		attributes consultation.Attributes
		want       bool
	}{
		"a review of the design":                 {rule(orchestrator.PhaseDesignReview), nil, true},
		"a review of the result":                 {review, nil, true},
		"one that is recommended":                {change(review, func(r *consultation.Requirement) { r.Mandatory = false }), nil, false},
		"one before the work":                    {rule(orchestrator.PhasePreExecution), nil, false},
		"one of a failure":                       {rule(orchestrator.PhaseOnError), nil, false},
		"one that applies":                       {change(review, func(r *consultation.Requirement) { r.Condition = secret }), consultation.Attributes{"secret": true}, true},
		"one that does not":                      {change(review, func(r *consultation.Requirement) { r.Condition = secret }), consultation.Attributes{"secret": false}, false},
		"one of a phase to come, which does not": {change(rule("post-completion"), func(r *consultation.Requirement) { r.Condition = secret }), nil, true},
	} {
		for _, rules := range [][]consultation.Requirement{{test.rule}, {rule(orchestrator.PhasePreExecution), test.rule}} {
			if got := (&orchestrator.Task{Requirements: rules, Attributes: test.attributes}).Guarded(); got != test.want {
				t.Errorf("%s: Guarded() = %t, want %t", name, got, test.want)
			}
		}
	}
}
