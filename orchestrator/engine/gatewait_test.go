package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestATaskGoesOnWithTheConsultationThatItWaitsFor(t *testing.T) {
	for name, test := range map[string]struct {
		others []agentcard.ConsultationRequirement
		state  a2apb.TaskState
	}{
		"the only one":                 {nil, a2apb.TaskState_TASK_STATE_WORKING},
		"another one is needed too":    {[]agentcard.ConsultationRequirement{{ID: "other", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}}, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED},
		"another one is but a warning": {[]agentcard.ConsultationRequirement{{ID: "other", TargetAgent: "reviewer", Phase: "pre-completion"}}, a2apb.TaskState_TASK_STATE_WORKING},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan struct{})
			reviewer := &actor{name: "reviewer", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
				close(asked)
				<-ctx.Done() // it thinks
				return ctx.Err()
			}}
			w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: append(test.others, requirement("pre-completion")...)}, reviewer)
			task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
			after := task.LastEvent
			if _, err := w.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{}); err != nil {
				t.Fatalf("Consult() = %v", err)
			}
			<-asked
			log, err := w.store.Events(t.Context(), task.Key(), after, 1)
			if err != nil || len(log) != 1 || log[0].Type != orchestrator.EventConsultation || log[0].State != test.state {
				t.Errorf("events after the request = %+v, %v, want a consultation with the task in state %s: who watches it from here on leaves otherwise", log, err, test.state)
			}
		})
	}
}

// TestAnApprovalOfATaskThatWasRemovedOpensNoGate sends a request again after its task was removed, though not the consultations of that.
func TestAnApprovalOfATaskThatWasRemovedOpensNoGate(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	submission := engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive, RequestID: "nightly"}
	first := w.submit(submission)
	w.await(first.ID)
	consult(t, w, first.ID)
	if task, _ := w.awaitEnd(first.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("state = %s, want completed", task.State)
	}
	if n, err := w.store.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil || n < 1 {
		t.Fatalf("Sweep() = %d, %v, want the task removed", n, err)
	}
	again := w.submit(submission)
	if again.ID != first.ID {
		t.Fatalf("Submit() = task %s, want %s again", again.ID, first.ID)
	}
	if task, log := w.await(again.ID); !task.Blocked() {
		t.Errorf("state %s, log %v, want it blocked until somebody reviews what was delivered this time", task.State, log)
	}
	consult(t, w, again.ID)
	if task, _ := w.awaitEnd(again.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state after a review = %s, want completed", task.State)
	}
}

func TestARestartFindsABlockedTaskAndItsEvidence(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	w.restart()
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

// The leases were not restored together with the tasks, and begin anew.
func TestATaskThatIsAheadOfTheLeasesGoesOn(t *testing.T) {
	var w *world
	w = newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: requirement("pre-completion")}, reviews(&w, "approved", "fine", true))
	task, _ := w.await(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID)
	_, err := w.store.Update(t.Context(), orchestrator.Key{Tenant: tenant, ID: task.ID}, func(task *orchestrator.Task) ([]orchestrator.Event, error) {
		task.OwnerEpoch = 40
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.restart()
	consult(t, w, task.ID)
	if task, _ = w.awaitEnd(task.ID); task.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Errorf("state = %s, want completed", task.State)
	}
}

// TestAGateSaysWhatTheCallerCanDo has a gate wait for a reviewer that thinks, and for one that nobody has asked.
func TestAGateSaysWhatTheCallerCanDo(t *testing.T) {
	t.Parallel()
	thinks := &actor{name: "reviewer", play: func(ctx context.Context, _ *a2apb.Message, _ agentclient.Each) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	other := agentcard.ConsultationRequirement{ID: "other", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true}
	for name, rules := range map[string][]agentcard.ConsultationRequirement{
		"first": append([]agentcard.ConsultationRequirement{other}, requirement("pre-completion")...), "last": append(requirement("pre-completion"), other),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &actor{name: "web", play: delivers("the page"), requirements: rules}, thinks)
			id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID
			w.await(id)
			if _, err := w.engine.Consult(t.Context(), tenant, id, "r", nil, consultation.Request{}); err != nil {
				t.Fatalf("Consult() = %v", err)
			}
			task := w.until(id, func(t *orchestrator.Task) bool { return strings.Contains(t.Error.Message, `"other"`) })
			if !task.Blocked() || task.Error.Reason != "CONSULTATION_MISSING" {
				t.Errorf("state %s, %+v, want blocked for the consultation that is missing", task.State, task.Error)
			}
		})
	}
}

// TestATaskThatHasPassedAGateIsNotHeldByIt has an agent ask something once its message has been reviewed.
func TestATaskThatHasPassedAGateIsNotHeldByIt(t *testing.T) {
	t.Parallel()
	var w *world
	web := asks(a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, "which?")
	web.name, web.requirements = "web", requirement("pre-execution")
	w = newWorld(t, web, reviews(&w, "approved", "fine", true))
	id := w.submit(engine.Submission{Route: orchestrator.Route{Agent: "web"}, Attributes: sensitive}).ID
	w.await(id)
	consult(t, w, id)
	task := w.until(id, func(t *orchestrator.Task) bool { return t.AwaitsCaller() })
	if task.Error != nil || task.Blocked() {
		t.Errorf("the task whose agent asks something has the error %+v, want none", task.Error)
	}
}
