package rpc_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/page"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

var update = flag.Bool("update", false, "write the golden files")

// TestATaskIsToldWhole has a task of which everything is known that can be told, each thing with a value of its own.
func TestATaskIsToldWhole(t *testing.T) {
	t.Parallel()
	store := &storetest.Memory{}
	if _, _, err := store.Create(t.Context(), whole()); err != nil {
		t.Fatal(err)
	}
	got, err := rpc.New(nil, store, page.New([]byte("key"))).GetTask(auth.NewContext(t.Context(), admin), &orchestratorv1.GetTaskRequest{Id: "t"})
	if err != nil {
		t.Fatalf("GetTask() = %v", err)
	}
	told := make(map[protoreflect.FullName]bool)
	fields(got.ProtoReflect(), told)
	for name, found := range told {
		if held := "quorate.orchestrator.v1.Task.withheld_artifacts"; !found && string(name) != held { // nothing of this task is held back
			t.Errorf("GetTask() = %v, want %s in it: put it into the test's task, too, if it is new", got, name)
		}
	}
	answer, err := protojson.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer // protojson varies its spaces
	if err := json.Indent(&text, answer, "", "  "); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "task.json")
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("GetTask() is not as in %s (-want +got):\n%s", golden, diff)
	}
}

// fields finds out which fields of the task API's messages have a value anywhere in m.
func fields(m protoreflect.Message, found map[protoreflect.FullName]bool) {
	if m.Descriptor().ParentFile().Package() != "quorate.orchestrator.v1" {
		return
	}
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		found[f.FullName()] = found[f.FullName()] || m.Has(f)
		switch {
		case f.Message() == nil || f.IsMap() || !m.Has(f):
		case f.IsList():
			for j := range m.Get(f).List().Len() {
				fields(m.Get(f).List().Get(j).Message(), found)
			}
		default:
			fields(m.Get(f).Message(), found)
		}
	}
}

func whole() orchestrator.Task {
	at := func(hour int) time.Time { return time.Date(2026, 1, 16, hour, 0, 0, 0, time.UTC) }
	says := func(id string) *a2apb.Message {
		return &a2apb.Message{MessageId: id, Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: id + "'s text"}}}}
	}
	typed := func(name string) orchestrator.Typed {
		return orchestrator.Typed{Name: name, SemanticType: "type of " + name}
	}
	link := func(name string) orchestrator.Link {
		return orchestrator.Link{Agent: name, Inputs: []orchestrator.Typed{typed(name + "-in-1"), typed(name + "-in-2")}, Output: typed(name + "-out")}
	}
	return orchestrator.Task{
		Tenant: "default", ID: "t", ContextID: "c", Owner: "alice", State: a2apb.TaskState_TASK_STATE_FAILED, Phase: orchestrator.PhaseDone, Agent: "echo", Skill: "say",
		Attributes: consultation.Attributes{"text": "a", "number": 1.5, "list": []any{true, nil}},
		Attempts: []orchestrator.Attempt{{
			Number: 2, Agent: "parrot", MessageID: "sent", RemoteTaskID: "remote", Binding: "GRPC", StartTime: at(1), EndTime: at(2),
			Error: &orchestrator.Error{Reason: "ATTEMPT_FAILED", Message: "the attempt failed"},
		}},
		Gates: []orchestrator.Gate{{
			Phase: orchestrator.PhaseDesignReview, Allowed: true, Digest: "sha256:abc", CheckTime: at(3),
			Requirements: []consultation.RequirementVerdict{{Requirement: consultation.Requirement{ID: "r", TargetAgent: "reviewer"}}},
		}},
		Turns: []orchestrator.Turn{{Number: 1, FromAgent: true, Message: says("question"), Time: at(4)}, {Number: 2, Done: true, Time: at(5)}, {Number: 3, Message: says("reply"), Time: at(6)}},
		Decision: orchestrator.Decision{
			Chosen: "echo", Skill: "speak", Candidates: []orchestrator.Candidate{{Agent: "parrot", Skill: "repeat", Score: 0.5, Reasons: []string{"idle", "near"}}},
			Rejected: []orchestrator.Rejection{{Agent: "mute", Code: "NO_SKILL", Reason: "it says nothing"}}, Omitted: 3, Refused: "why none was chosen",
			Chain: []orchestrator.Link{link("first")}, FanOut: []string{"left", "right"},
		},
		Plan: &orchestrator.Plan{Mode: orchestrator.PlanChain, Need: 4, Asking: &orchestrator.Asking{Step: 1}, Steps: []orchestrator.Step{{
			Link: link("step"), Skill: "walk", TaskID: "t-step", State: a2apb.TaskState_TASK_STATE_WORKING, Error: &orchestrator.Error{Reason: "STEP_FAILED", Message: "the step failed"},
		}}},
		Error: &orchestrator.Error{Reason: "TASK_FAILED", Message: "the task failed"}, Parent: &orchestrator.Parent{TaskID: "p"}, TraceID: "trace", Released: true,
		Version: 6, CreateTime: at(7), UpdateTime: at(8), Deadline: at(9),
		Message: says("submitted"), StatusMessage: says("status"), Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: says("artifact").GetParts()}},
		Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{"said": structpb.NewStringValue("of the whole task")}},
	}
}
