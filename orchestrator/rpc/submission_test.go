package rpc_test

import (
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func TestARequestIsSubmittedWhole(t *testing.T) {
	t.Parallel()
	req := submit(t, `{
		"message": {"messageId": "m"}, "requestId": "r", "deadline": "2026-01-16T01:00:00Z", "attributes": {"risk": "high", "cost": 1.5},
		"inputs": [
			{"name": "text", "semanticType": "comment", "value": "hello"}, {"name": "data", "value": {"a": [1]}},
			{"name": "parts", "parts": [{"text": "first"}, {"url": "https://example.com"}]}
		]
	}`)
	data := req.GetInputs()[1].GetValue()
	want := engine.Submission{
		Tenant: "acme", Caller: "ann", RequestID: "r", Message: &a2apb.Message{MessageId: "m"}, Deadline: time.Date(2026, 1, 16, 1, 0, 0, 0, time.UTC),
		Attributes: consultation.Attributes{"risk": "high", "cost": 1.5},
		Inputs: []orchestrator.Input{
			{Name: "text", SemanticType: "comment", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hello"}}}},
			{Name: "data", Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: data}}}},
			{Name: "parts", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "first"}}, {Content: &a2apb.Part_Url{Url: "https://example.com"}}}},
		},
	}
	got := rpc.NewSubmission(auth.Principal{Tenant: "acme", Name: "ann"}, req)
	if diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.IgnoreUnexported(engine.Submission{})); diff != "" {
		t.Errorf("NewSubmission() is not what was asked for (-want +got):\n%s", diff)
	}
	if got := rpc.NewSubmission(auth.Principal{}, new(orchestratorv1.SubmitTaskRequest)); !got.Deadline.IsZero() {
		t.Errorf("NewSubmission() of a request without a deadline = %s, want none", got.Deadline)
	}
	if got := rpc.NewSubmission(auth.Principal{}, submit(t, `{"deadline": "0001-01-01T00:00:00Z"}`)); got.Deadline.IsZero() || got.Deadline.Year() != 1 {
		t.Errorf("NewSubmission() of a deadline two thousand years ago = %s, want that and not none", got.Deadline)
	}
}

func TestATaskGoesWhereTheRequestSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]orchestrator.Route{
		`{}`:                                   {},
		`{"agent": "echo", "version": "^1.0"}`: {Agent: "echo", Version: "^1.0"},
		`{"skill": "say", "fanOut": {"mode": "k", "k": 2, "agents": 3}}`: {
			Skill: "say", FanOut: &orchestrator.FanOut{Mode: "k", K: 2, Agents: 3},
		},
		`{"text": "who repeats this?"}`: {Text: "who repeats this?"},
		`{"contract": {"inputs": [{"name": "i1", "semanticType": "document"}, {"name": "i2"}], "output": {"name": "o", "semanticType": "artifact"}}}`: {
			Contract: &orchestrator.Contract{
				Inputs: []orchestrator.Typed{{Name: "i1", SemanticType: "document"}, {Name: "i2"}}, Output: orchestrator.Typed{Name: "o", SemanticType: "artifact"},
			},
		},
	} {
		got := rpc.NewSubmission(auth.Principal{}, submit(t, `{"route": `+text+`}`)).Route
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("NewSubmission(%s) has another route (-want +got):\n%s", text, diff)
		}
	}
}

func submit(t *testing.T, text string) *orchestratorv1.SubmitTaskRequest {
	t.Helper()
	req := new(orchestratorv1.SubmitTaskRequest)
	if err := protojson.Unmarshal([]byte(text), req); err != nil {
		t.Fatal(err)
	}
	return req
}

// TestMetadataOfA2AIsNotIgnored sends what counts over A2A only, an attribute for one, of which a rule would not learn.
func TestMetadataOfA2AIsNotIgnored(t *testing.T) {
	t.Parallel()
	var message a2apb.Message
	if err := protojson.Unmarshal([]byte(`{"parts": [{"text": "hi"}], "metadata": {"`+orchestrator.TaskExtension+`": {"attributes": {"secret": true}}}}`), &message); err != nil {
		t.Fatal(err)
	}
	ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: "acme", Name: "ann", Roles: []auth.Role{auth.RoleDispatcher}})
	tasks := rpc.New(nil, nil, nil)
	_, submitted := tasks.SubmitTask(ctx, &orchestratorv1.SubmitTaskRequest{Message: &message})
	_, replied := tasks.ReplyToTask(ctx, &orchestratorv1.ReplyToTaskRequest{Message: &message})
	_, resolved := rpc.NewRoutes(nil).ResolveRoute(ctx, &orchestratorv1.ResolveRouteRequest{Message: &message})
	for call, err := range map[string]error{"SubmitTask": submitted, "ReplyToTask": replied, "ResolveRoute": resolved} {
		if fault.ReasonOf(err) != "TASK_EXTENSION_INVALID" {
			t.Errorf("%s() = %v, want TASK_EXTENSION_INVALID", call, err)
		}
	}
}
