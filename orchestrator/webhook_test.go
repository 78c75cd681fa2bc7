package orchestrator_test

import (
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
)

func TestATaskIsSettledOnceItHasEndedAndAllAreTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		task orchestrator.Task
		want bool
	}{
		"it has ended":                     {orchestrator.Task{State: completed}, true},
		"it has failed":                    {orchestrator.Task{State: failed}, true},
		"it goes on":                       {orchestrator.Task{State: working}, false},
		"consultations do not know of it":  {orchestrator.Task{State: completed, Untold: true}, false},
		"a receiver has heard all":         {orchestrator.Task{State: completed, Webhooks: []orchestrator.Webhook{{Due: 3, Sent: 3}}}, true},
		"a receiver is to be told":         {orchestrator.Task{State: completed, Webhooks: []orchestrator.Webhook{{Due: 3, Sent: 3}, {Due: 3, Sent: 2}}}, false},
		"a receiver is given up":           {orchestrator.Task{State: completed, Webhooks: []orchestrator.Webhook{{Due: 3, GaveUp: "RECEIVER_GONE"}}}, true},
		"it goes on, and a receiver knows": {orchestrator.Task{State: working, Webhooks: []orchestrator.Webhook{{Due: 3, Sent: 3}}}, false},
	} {
		if got := test.task.Settled(); got != test.want {
			t.Errorf("%s: Settled() = %t, want %t", name, got, test.want)
		}
	}
}

func TestTheTaskOfAStepIsKeptForThePlan(t *testing.T) {
	t.Parallel()
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	step, consultation := &orchestrator.Parent{TaskID: "p"}, &orchestrator.Parent{TaskID: "p", ConsultationID: "c"}
	for name, test := range map[string]struct {
		task orchestrator.Task
		want time.Time
	}{
		"a task":                       {orchestrator.Task{UpdateTime: early, Deadline: late}, early},
		"a consultation":               {orchestrator.Task{UpdateTime: early, Deadline: late, Parent: consultation}, early},
		"a step":                       {orchestrator.Task{UpdateTime: early, Deadline: late, Parent: step}, late},
		"a step that ended afterwards": {orchestrator.Task{UpdateTime: late, Deadline: early, Parent: step}, late},
	} {
		if got := test.task.RetainedSince(); !got.Equal(test.want) {
			t.Errorf("RetainedSince() of %s = %v, want %v", name, got, test.want)
		}
	}
}
