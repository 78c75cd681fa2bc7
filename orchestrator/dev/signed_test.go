package dev_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/kit"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// TestAVerdictThatTheKitSignsIsOfLevelC3 has the two halves of a signature, which know each other by the API only, meet.
func TestAVerdictThatTheKitSignsIsOfLevelC3(t *testing.T) {
	r := start(t, t.TempDir())
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	sign, err := kit.SignWith(fmt.Appendf(nil, `{"kty":"OKP","crv":"Ed25519","kid":"notary-1","alg":"EdDSA","x":%q,"d":%q}`, encode(public), encode(private.Seed())))
	if err != nil {
		t.Fatalf("SignWith() = %v", err)
	}
	r.join(t, kit.Config{Name: "notary", Description: "Signs what it says.", Version: "1.0.0", Sign: sign, Reviewer: func(context.Context, kit.Review) (kit.Outcome, error) {
		return kit.Outcome{Verdict: kit.Approved, Feedback: "seen <and> signed"}, nil
	}})
	r.join(t, kit.Config{
		Name: "writer", Description: "Writes.", Version: "1.0.0",
		Metadata: &registryv1.AgentMetadata{ConsultationRequirements: []*registryv1.ConsultationRequirement{
			{Id: "sealed", TargetAgent: "notary", Phase: "pre-completion", Mandatory: new(true), MinLevel: "C3"},
		}},
		Handler: func(ctx context.Context, t *kit.Task) error {
			return t.AddArtifact(ctx, kit.Artifact{Name: "text", MediaType: "text/plain", Text: "a deed"})
		},
	})
	jwk, err := structpb.NewStruct(map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": "notary-1", "x": encode(public)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registryv1.NewRegistryServiceClient(r.conn).PinSigningKey(r.ctx, &registryv1.PinSigningKeyRequest{Jwk: jwk, Agents: []string{"notary"}}); err != nil {
		t.Fatalf("PinSigningKey() = %v", err)
	}
	task, err := orchestratorv1.NewTaskServiceClient(r.conn).SubmitTask(r.ctx, &orchestratorv1.SubmitTaskRequest{
		Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "Write a deed."}}}},
		Route:   &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "writer"}},
	})
	if err != nil {
		t.Fatalf("SubmitTask() = %v", err)
	}
	r.await(t, task.GetId())
	consultations := consultationv1.NewConsultationServiceClient(r.conn)
	c, err := consultations.RequestConsultation(r.ctx, &consultationv1.RequestConsultationRequest{TaskId: task.GetId(), RequirementId: "sealed"})
	if err != nil {
		t.Fatalf("RequestConsultation() = %v", err)
	}
	r.await(t, c.GetCarrierTaskId())
	check, err := consultations.CheckConsultations(r.ctx, &consultationv1.CheckConsultationsRequest{TaskId: task.GetId()})
	if err != nil || !check.GetAllowed() {
		t.Fatalf("CheckConsultations() = %v, %v, want allowed", check, err)
	}
	v := check.GetRequirements()[0]
	if v.GetReachedLevel() != "C3" || v.GetRequiredLevel() != "C3" || v.GetEvidence()[0].GetRecorder() != "notary" {
		t.Errorf("CheckConsultations() = %v, want evidence of level C3 by notary", v)
	}
}
