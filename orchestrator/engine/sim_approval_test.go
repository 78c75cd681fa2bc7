package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// TestATaskIsApprovedWhereverItBreaks has a task be held at a gate until its reviewer, who is asked by Quorate, approves of it, once for every call to
// the store and every kind of mishap: it is completed once, the reviewer judged once, and who watches sees each event once.
func TestATaskIsApprovedWhereverItBreaks(t *testing.T) {
	t.Parallel()
	wherever(t, 20, approve)
}

// approving is a worker that also reviews: it approves at once, and its evidence is on record before it answers.
type approving struct {
	*worker
	asked consultation.Store
}

func (a approving) Send(ctx context.Context, m *a2apb.Message, stream bool, each agentclient.Each) error {
	word := m.GetMetadata().GetFields()[consultation.ExtensionURI].GetStructValue().AsMap()
	id, asks := word["consultationId"].(string)
	if !asks {
		return a.worker.Send(ctx, m, stream, each)
	}
	trace := strings.Split(m.GetMetadata().GetFields()[orchestrator.TraceparentKey].GetStringValue(), "-")
	claim := consultation.Claim{
		TraceID: trace[1], SpanID: "00f067aa0ba902b7", ServiceName: "reviewer", ConsultationID: id, TargetAgent: "reviewer", Outcome: "approved", SchemaVersion: 1,
	}
	claim.TaskID, _ = word["taskId"].(string)
	claim.RequirementID, _ = word["requirementId"].(string)
	claim.Phase, _ = word["phase"].(string)
	claim.SourceAgent, _ = word["sourceAgent"].(string)
	claim.SubjectDigest, _ = word["subjectDigest"].(string)
	attempt, _ := word["attempt"].(float64)
	claim.Attempt = int(attempt)
	receiver := consultation.NewLedger(a.asked, consultation.LedgerOptions{}) // another process
	if err := receiver.Record(ctx, consultation.Recorder{Tenant: tenant, Agent: "reviewer"}, claim); err != nil {
		return err
	}
	return prompt{a.worker}.Send(ctx, m, stream, each)
}

func approve(t *testing.T, x *trouble) {
	t.Helper()
	w, asked := newWorker(), &memoryConsultations{}
	s := &simulation{t: t, store: &storetest.Memory{}, worker: w, client: approving{w, asked}, asked: asked, actors: map[string]*actor{
		"web": {name: "web", requirements: requirement("pre-completion")}, "reviewer": {name: "reviewer"},
	}}
	s.meet(x)
	s.start()
	when := x.String()
	task := s.insist(when, func() (orchestrator.Task, error) { return s.engine.Submit(t.Context(), heldBack) })
	watch := look(t.Context(), task.Key(), s.use)
	s.minutes(2)
	s.insist(when, func() (orchestrator.Task, error) {
		_, err := s.engine.Consult(t.Context(), tenant, task.ID, "r", nil, consultation.Request{Caller: "tester", ID: "1"})
		return task, err
	})
	s.minutes(3)
	s.stop()
	s.store.Fail = nil
	watch.check(t, when, s.store, task.Key())
	checkNothingLeft(t, when, s.store)
	got, err := s.store.Task(t.Context(), task.Key())
	if err != nil || got.State != a2apb.TaskState_TASK_STATE_COMPLETED || len(got.Gates) != 1 || !got.Gates[0].Allowed {
		t.Errorf("%s: the task is in state %s (%+v) with the gates %+v, %v, want completed through one", when, got.State, got.Error, got.Gates, err)
	}
	for id, n := range w.done {
		if n != 1 || len(w.done) != 2 {
			t.Errorf("%s: message %s of %d was worked on %d times, want two messages, once each", when, id, len(w.done), n)
		}
	}
	if list, err := asked.List(t.Context(), tenant, task.ID); err != nil || len(list) == 0 || list[len(list)-1].Consultation.State != consultation.StateAnswered {
		t.Errorf("%s: List() = %+v, %v, want the last consultation answered", when, list, err)
	}
}
