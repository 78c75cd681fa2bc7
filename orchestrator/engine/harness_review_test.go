package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/registry/agentcard"
)

const extension = "https://github.com/quorate/quorate/extensions/consultation/v1"

func requirement(phase string) []agentcard.ConsultationRequirement {
	return []agentcard.ConsultationRequirement{{
		ID: "r", TargetAgent: "reviewer", Phase: phase, Mandatory: true,
		Condition: &agentcard.Condition{Attribute: "sensitive", Operator: "equals", Value: true},
	}}
}

var sensitive = consultation.Attributes{"sensitive": true}

// reviews makes an actor that answers consultations: its verdict gets into the ledger as the receiver would put it there, if recorded is true.
func reviews(w **world, outcome, feedback string, recorded bool) *actor {
	return &actor{name: "reviewer", play: func(ctx context.Context, m *a2apb.Message, say agentclient.Each) error {
		word := m.GetMetadata().AsMap()[extension].(map[string]any)
		trace := strings.Split(m.GetMetadata().AsMap()["traceparent"].(string), "-")
		if recorded {
			err := (*w).ledger.Record(ctx, consultation.Recorder{Tenant: tenant, Agent: "reviewer"}, consultation.Claim{
				TraceID: trace[1], SpanID: "00f067aa0ba902b7", ServiceName: "reviewer", ConsultationID: word["consultationId"].(string),
				TaskID: word["taskId"].(string), RequirementID: word["requirementId"].(string), Phase: word["phase"].(string),
				SourceAgent: word["sourceAgent"].(string), TargetAgent: "reviewer", Outcome: outcome, Feedback: feedback,
				SubjectDigest: word["subjectDigest"].(string), Attempt: int(word["attempt"].(float64)), SchemaVersion: 1,
			})
			if err != nil {
				return err
			}
		}
		return say(snapshot("c1", a2apb.TaskState_TASK_STATE_COMPLETED, "", outcome+": "+feedback))
	}}
}

func structOf(tb testing.TB, m map[string]any) *structpb.Struct {
	tb.Helper()
	s, err := structpb.NewStruct(m)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func consult(t *testing.T, w *world, taskID string) {
	t.Helper()
	c, err := w.engine.Consult(t.Context(), tenant, taskID, "r", nil, consultation.Request{})
	if err != nil {
		t.Fatalf("Consult() = %v", err)
	}
	w.awaitEnd(c.CarrierTaskID)
}

// blockedWith waits until the task is blocked with a verdict whose reason has some words in it.
func (w *world) blockedWith(id, verdict, words string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	seen := errors.New("seen")
	key := orchestrator.Key{Tenant: tenant, ID: id}
	task, err := w.engine.Watch(ctx, key, 0, true, func(orchestrator.Event) error {
		t, err := w.store.Task(ctx, key)
		if err != nil {
			return err
		}
		if n := len(t.Gates); t.Blocked() && t.Gates[n-1].Requirements[0].Verdict == verdict && strings.Contains(t.Error.Message, words) {
			return seen
		}
		return nil
	})
	if !errors.Is(err, seen) {
		w.t.Fatalf("Watch() = %v with task in state %s, phase %s, error %+v, gates %+v, want it blocked with verdict %s and %q",
			err, task.State, task.Phase, task.Error, task.Gates, verdict, words)
	}
}
