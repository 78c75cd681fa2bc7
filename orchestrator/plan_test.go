package orchestrator_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
)

const (
	unspecified = a2apb.TaskState_TASK_STATE_UNSPECIFIED
	completed   = a2apb.TaskState_TASK_STATE_COMPLETED
	failed      = a2apb.TaskState_TASK_STATE_FAILED
)

// TestAStepIsDueOnceItCanBegin has plans of three steps, each of which takes what the one before makes, and the last also what the task brings.
func TestAStepIsDueOnceItCanBegin(t *testing.T) {
	t.Parallel()
	const started, not = "a task", ""
	for name, test := range map[string]struct {
		states [3]a2apb.TaskState
		tasks  [3]string
		due    [3]bool
		never  [3]bool // the step cannot be completed
	}{
		"nothing has begun":          {[3]a2apb.TaskState{unspecified, unspecified, unspecified}, [3]string{not, not, not}, [3]bool{true, false, false}, [3]bool{}},
		"the first has begun":        {[3]a2apb.TaskState{working, unspecified, unspecified}, [3]string{started, not, not}, [3]bool{}, [3]bool{}},
		"the first is completed":     {[3]a2apb.TaskState{completed, unspecified, unspecified}, [3]string{started, not, not}, [3]bool{false, true, false}, [3]bool{}},
		"the second is completed":    {[3]a2apb.TaskState{completed, completed, unspecified}, [3]string{started, started, not}, [3]bool{false, false, true}, [3]bool{}},
		"all are completed":          {[3]a2apb.TaskState{completed, completed, completed}, [3]string{started, started, started}, [3]bool{}, [3]bool{}},
		"the first has failed":       {[3]a2apb.TaskState{failed, unspecified, unspecified}, [3]string{started, not, not}, [3]bool{}, [3]bool{true, true, true}},
		"the first could not begin":  {[3]a2apb.TaskState{failed, unspecified, unspecified}, [3]string{not, not, not}, [3]bool{}, [3]bool{true, true, true}},
		"the second could not begin": {[3]a2apb.TaskState{completed, failed, unspecified}, [3]string{started, not, not}, [3]bool{}, [3]bool{false, true, true}},
	} {
		p := &orchestrator.Plan{Mode: orchestrator.PlanChain, Need: 3, Steps: make([]orchestrator.Step, 3)}
		lost := false
		for i := range p.Steps {
			p.Steps[i].State, p.Steps[i].TaskID = test.states[i], test.tasks[i]
			p.Steps[i].Takes = []orchestrator.Take{{From: i}, {From: 0}}
			lost = lost || test.never[i]
		}
		for i := range p.Steps {
			if got := p.Due(i); got != test.due[i] {
				t.Errorf("%s: Due(%d) = %t, want %t", name, i, got, test.due[i])
			}
			if got := p.CannotComplete(i); got != test.never[i] {
				t.Errorf("%s: CannotComplete(%d) = %t, want %t", name, i, got, test.never[i])
			}
		}
		if got := p.CannotSucceed(); got != lost {
			t.Errorf("%s: CannotSucceed() = %t, want %t", name, got, lost)
		}
	}
}

func TestAPlanSucceedsWithAsManyStepsAsItNeeds(t *testing.T) {
	t.Parallel()
	p := &orchestrator.Plan{Mode: orchestrator.PlanK, Need: 2, Steps: []orchestrator.Step{{State: failed}, {State: completed}, {State: working}}}
	if p.CannotSucceed() || p.Completed() != 1 || p.Chain() != nil || p.Waiting() != nil || (*orchestrator.Plan)(nil).Waiting() != nil {
		t.Errorf("%+v cannot succeed, want it to: one step is completed and one goes on; and it is no chain and waits for nothing", p)
	}
	other := p.Clone()
	other.Steps[2].State, other.Steps[2].Error, other.Asking = failed, &orchestrator.Error{Reason: "AGENT_FAILED"}, &orchestrator.Asking{Step: 3}
	if !other.CannotSucceed() || p.CannotSucceed() || other.Waiting() != &other.Steps[2] {
		t.Errorf("%+v can succeed with one step of two, or its copy changed it, or it waits for another step than the third", other)
	}
	if other.ForgetErrors(); other.Steps[2].Error != nil {
		t.Errorf("ForgetErrors() leaves %+v", other.Steps[2].Error)
	}
	chain := &orchestrator.Plan{Mode: orchestrator.PlanChain, Steps: []orchestrator.Step{{Link: orchestrator.Link{Agent: "a"}}, {Link: orchestrator.Link{Agent: "b"}}}}
	if links := chain.Chain(); len(links) != 2 || links[0].Agent != "a" || links[1].Agent != "b" {
		t.Errorf("Chain() = %+v, want a and b", links)
	}
}
