package dev_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/platform/auth"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// TestAnAgentConsultsByItself has an agent of its own credential join, as one from outside would, ask the reviewer through the kit before it
// delivers, and pass its gate without anybody else asking.
func TestAnAgentConsultsByItself(t *testing.T) {
	r := start(t, t.TempDir())
	r.join(t, kit.Config{
		Name: "careful", Description: "Asks before it answers.", Version: "0.1.0",
		Metadata: &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{
			{Id: "read", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: new(true)},
		}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			text := kit.Artifact{Text: "nothing to object to"}
			for _, requirement := range task.Requirements() {
				if outcome, err := task.Consult(ctx, requirement.ID, text); err != nil || outcome.Verdict != kit.Approved {
					t.Errorf("Consult(%s) = %+v, %v, want an approval", requirement.ID, outcome, err)
				}
			}
			return task.AddArtifact(ctx, text)
		},
	})
	task, err := orchestratorv1.NewTaskServiceClient(r.conn).SubmitTask(r.ctx, &orchestratorv1.SubmitTaskRequest{
		Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "answer"}}}},
		Route:   &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "careful"}},
	})
	if err != nil {
		t.Fatalf("SubmitTask() = %v", err)
	}
	task = r.await(t, task.GetId())
	if task.GetState() != a2apb.TaskState_TASK_STATE_COMPLETED || len(task.GetArtifacts()) != 1 {
		t.Fatalf("the task is in state %s with error %v, want completed with its artifact", task.GetState(), task.GetError())
	}
	check, err := consultationv1.NewConsultationServiceClient(r.conn).CheckConsultations(r.ctx, &consultationv1.CheckConsultationsRequest{TaskId: task.GetId()})
	if err != nil || !check.GetAllowed() {
		t.Fatalf("CheckConsultations() = %v, %v, want allowed", check, err)
	}
	if e := check.GetRequirements()[0].GetEvidence()[0]; e.GetRecorder() != "reviewer" || e.GetSourceAgent() != "careful" || e.GetOutcome() != "approved" {
		t.Errorf("evidence = %v, want an approval recorded by reviewer for careful", e)
	}
}

func TestAnAgentGetsTheInputsThatItDeclares(t *testing.T) {
	r := start(t, t.TempDir())
	r.join(t, kit.Config{
		Name: "shouter", Description: "Says it louder.", Version: "0.1.0",
		Metadata: &registryv1.AgentMetadata{InputSchemas: []*registryv1.InputSchema{{Name: "words", SemanticType: "comment"}}},
		Handler: func(ctx context.Context, task *kit.Task) error {
			var texts []string
			for _, part := range task.Input("words") {
				texts = append(texts, part.Text())
			}
			return task.AddArtifact(ctx, kit.Artifact{Text: strings.ToUpper(strings.Join(texts, " "))})
		},
	})
	for name, given := range map[string]*orchestratorv1.TaskInput{
		"by name": {Name: "words", Value: structpb.NewStringValue("hello")},
		"by type": {Name: "remark", SemanticType: "comment", Value: structpb.NewStringValue("hello")},
	} {
		task, err := orchestratorv1.NewTaskServiceClient(r.conn).SubmitTask(r.ctx, &orchestratorv1.SubmitTaskRequest{
			Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "shout"}}}},
			Route:   &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "shouter"}},
			Inputs:  []*orchestratorv1.TaskInput{given},
		})
		if err != nil {
			t.Fatalf("SubmitTask() with an input %s = %v, want no error", name, err)
		}
		if task = r.await(t, task.GetId()); len(task.GetArtifacts()) != 1 || task.GetArtifacts()[0].GetParts()[0].GetText() != "HELLO" {
			t.Errorf("with an input %s the agent made %v, want HELLO", name, task.GetArtifacts())
		}
	}
}

// join registers an agent as an admin would, gives it its token, and runs it as a member.
func (r *running) join(t *testing.T, cfg kit.Config) {
	t.Helper()
	var err error
	if cfg.Listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cfg.Listener.Close() }) // the agent has closed it, if it ran
	card := cardOf(t, cfg)
	registry := registryv1.NewRegistryServiceClient(r.conn)
	if _, err := registry.RegisterAgent(r.ctx, &registryv1.RegisterAgentRequest{Source: &registryv1.RegisterAgentRequest_CardJson{CardJson: card}}); err != nil {
		t.Fatalf("RegisterAgent() = %v", err)
	}
	token, err := registry.IssueAgentToken(r.ctx, &registryv1.IssueAgentTokenRequest{Name: cfg.Name})
	if err != nil {
		t.Fatalf("IssueAgentToken() = %v", err)
	}
	cfg.Server, cfg.Token = r.http, auth.Secret(token.GetToken())
	kittest.Start(t, cfg)
}

// cardOf is the card that an agent will serve.
func cardOf(t *testing.T, cfg kit.Config) string {
	t.Helper()
	a, err := kit.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	card, err := json.Marshal(a.Card())
	if err != nil {
		t.Fatal(err)
	}
	return string(card)
}

// await watches a task to its end, or until a gate blocks it.
func (r *running) await(t *testing.T, id string) *orchestratorv1.Task {
	t.Helper()
	stream, err := orchestratorv1.NewTaskServiceClient(r.conn).WatchTask(r.ctx, &orchestratorv1.WatchTaskRequest{Id: id})
	if err != nil {
		t.Fatalf("WatchTask() = %v", err)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			t.Fatalf("WatchTask() ended with %v before the task did", err)
		}
		if m.GetTask() != nil {
			return m.GetTask()
		}
	}
}
