package kit

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1/pbconv"
	"github.com/cenkalti/backoff/v5"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// Consult asks Quorate to consult the target of a requirement about the artifacts that the handler is about to deliver, and waits for the outcome.
// The gate compares content: deliver exactly these artifacts, in this order, and nothing else.
//
// A rejection is an outcome, not an error. Faults: FailedPrecondition with the reason NOT_A_QUORATE_TASK; Unavailable with CONSULTATION_FAILED if the
// question could not be carried, has expired, or the target asks something itself; and those of Quorate's API.
func (t *Task) Consult(ctx context.Context, requirementID string, artifacts ...Artifact) (Outcome, error) {
	asked, err := t.request(ctx, &consultationv1.RequestConsultationRequest{RequirementId: requirementID}, artifacts)
	if err != nil {
		return Outcome{}, err
	}
	return t.agent.await(ctx, t.consultations(), asked)
}

// ConsultDirectly is Consult for agents that talk to each other without Quorate in between: ask must send the question unchanged to the target over A2A, and
// return when it is answered. The outcome is the one that the target recorded, whatever it answered. If it records none, the wait ends with ctx or, after the time
// that Quorate allows for a consultation, with CONSULTATION_FAILED.
func (t *Task) ConsultDirectly(ctx context.Context, requirementID string, ask func(context.Context, *a2a.Message) error, artifacts ...Artifact) (Outcome, error) {
	asked, err := t.request(ctx, &consultationv1.RequestConsultationRequest{RequirementId: requirementID, Direct: true}, artifacts)
	if err != nil {
		return Outcome{}, err
	}
	if asked.GetQuestion() == nil { // it was no longer open when a retry was answered
		return t.agent.await(ctx, t.consultations(), asked)
	}
	question, err := pbconv.FromProtoMessage(asked.GetQuestion())
	if err != nil {
		return Outcome{}, fmt.Errorf("reading the question of consultation %s: %w", asked.GetId(), err)
	}
	if err := ask(ctx, question); err != nil {
		return Outcome{}, err
	}
	return t.agent.await(ctx, t.consultations(), asked)
}

// consultations returns the API path of the task's consultations.
func (t *Task) consultations() string {
	return "/v1/tasks/" + url.PathEscape(t.assignment.TaskID) + "/consultations"
}

// request opens a consultation about artifacts.
func (t *Task) request(ctx context.Context, r *consultationv1.RequestConsultationRequest, artifacts []Artifact) (*consultationv1.Consultation, error) {
	if t.agent.quorate == nil || t.assignment.TaskID == "" {
		return nil, fault.New(fault.FailedPrecondition, "NOT_A_QUORATE_TASK", "the task did not come through Quorate, so nobody can be consulted about it")
	}
	subject := &a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}
	for _, artifact := range artifacts {
		subject.Artifacts = append(subject.Artifacts, artifact.a2a())
	}
	converted, err := pbconv.ToProtoTask(subject) // as the gRPC binding would send it
	if err != nil {
		return nil, fault.Invalid("artifacts", "ARTIFACT_INVALID", "the artifacts cannot be sent: %w", err)
	}
	r.TaskId, r.Subject, r.RequestId = t.assignment.TaskID, converted.GetArtifacts(), rand.Text()
	return retry(ctx, requestTimeout, func() (*consultationv1.Consultation, error) {
		var asked consultationv1.Consultation
		return &asked, t.agent.quorate.Call(ctx, http.MethodPost, t.consultations(), nil, r, &asked)
	})
}

// await polls the task's consultations until the given one is closed.
func (a *Agent) await(ctx context.Context, path string, asked *consultationv1.Consultation) (Outcome, error) {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval = 50*time.Millisecond, 2*time.Second
	for asked.GetState() == "open" {
		if err := pause.For(ctx, growing.NextBackOff()); err != nil {
			return Outcome{}, err
		}
		list, err := retry(ctx, requestTimeout, func() (*consultationv1.ListConsultationsResponse, error) {
			var list consultationv1.ListConsultationsResponse
			return &list, a.quorate.Call(ctx, http.MethodGet, path, url.Values{"page_size": {"100"}}, nil, &list) // a task has no more
		})
		if err != nil {
			return Outcome{}, err
		}
		id := asked.GetId()
		if asked = find(list.GetConsultations(), id); asked == nil {
			return Outcome{}, fault.New(fault.NotFound, "CONSULTATION_NOT_FOUND", "Quorate no longer knows consultation %s", id)
		}
	}
	if asked.GetState() == "asking" { // only an admin can answer it
		return Outcome{}, fault.New(fault.Unavailable, "CONSULTATION_FAILED", "agent %s does not judge yet and asks: %s", asked.GetTargetAgent(), asked.GetFeedback())
	}
	if asked.GetState() != "answered" {
		return Outcome{}, fault.New(fault.Unavailable, "CONSULTATION_FAILED", "agent %s could not be consulted: the consultation is %s. %s", asked.GetTargetAgent(), asked.GetState(), asked.GetFeedback())
	}
	return Outcome{Verdict: asked.GetOutcome(), Feedback: asked.GetFeedback()}, nil
}

func find(list []*consultationv1.Consultation, id string) *consultationv1.Consultation {
	for _, c := range list {
		if c.GetId() == id {
			return c
		}
	}
	return nil
}
