package dev_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/agents/kit"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// TestAgentsHoldAConsultationThemselves has an agent send its question to the reviewer over A2A, with nothing of ours in between, and pass its gate by what
// the reviewer recorded.
func TestAgentsHoldAConsultationThemselves(t *testing.T) {
	r := start(t, t.TempDir())
	reviewer := r.reviewer(t)
	r.join(t, kit.Config{
		Name: "writer", Description: "Writes.", Version: "1.0.0",
		Metadata: &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{
			{Id: "read", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: new(true)},
		}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			text := kit.Artifact{Name: "text", MediaType: "text/plain", Text: "nothing to object to"}
			outcome, err := task.ConsultDirectly(ctx, "read", func(ctx context.Context, question *a2a.Message) error {
				_, err := reviewer.SendMessage(ctx, &a2a.SendMessageRequest{Message: question})
				return err
			}, text)
			if err != nil || outcome.Verdict != kit.Approved {
				t.Errorf("ConsultDirectly() = %+v, %v, want an approval", outcome, err)
			}
			return task.AddArtifact(ctx, text)
		},
	})
	task, err := orchestratorv1.NewTaskServiceClient(r.conn).SubmitTask(r.ctx, &orchestratorv1.SubmitTaskRequest{
		Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "Write."}}}},
		Route:   &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "writer"}},
	})
	if err != nil {
		t.Fatalf("SubmitTask() = %v", err)
	}
	if task = r.await(t, task.GetId()); task.GetState() != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("the task is in state %s with error %v, want completed", task.GetState(), task.GetError())
	}
	list, err := consultationv1.NewConsultationServiceClient(r.conn).ListConsultations(r.ctx, &consultationv1.ListConsultationsRequest{TaskId: task.GetId()})
	if err != nil || len(list.GetConsultations()) != 1 {
		t.Fatalf("ListConsultations() = %v, %v, want one", list, err)
	}
	if c := list.GetConsultations()[0]; !c.GetDirect() || c.GetCarrierTaskId() != "" || c.GetOutcome() != kit.Approved || c.GetQuestion() != nil {
		t.Errorf("ListConsultations() = %v, want an approval of one that was held directly", c)
	}
}

// reviewer returns an A2A client of the reviewer itself.
func (r *running) reviewer(t *testing.T) *a2aclient.Client {
	t.Helper()
	a, err := registryv1.NewRegistryServiceClient(r.conn).GetAgent(r.ctx, &registryv1.GetAgentRequest{Name: "reviewer"})
	if err != nil {
		t.Fatalf("GetAgent(reviewer) = %v", err)
	}
	var own []*a2a.AgentInterface
	for _, i := range a.GetCard().GetFields()["supportedInterfaces"].GetListValue().GetValues() {
		if f := i.GetStructValue().GetFields(); f["protocolBinding"].GetStringValue() == string(a2a.TransportProtocolJSONRPC) {
			own = append(own, &a2a.AgentInterface{URL: f["url"].GetStringValue(), ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: "1.0"})
		}
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := a2aclient.NewFromEndpoints(t.Context(), own, a2aclient.WithJSONRPCTransport(&http.Client{Transport: transport}))
	if err != nil {
		t.Fatalf("NewFromEndpoints(%v) = %v", own, err)
	}
	t.Cleanup(func() {
		if err := c.Destroy(); err != nil {
			t.Error(err)
		}
	})
	return c
}
