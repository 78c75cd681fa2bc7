package rpc_test

import (
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/page"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// TestWhatNoReviewerHasSeenIsNotShown has an agent say something different in each place where it may say something.
func TestWhatNoReviewerHasSeenIsNotShown(t *testing.T) {
	t.Parallel()
	const all = "its question, its last words, an artifact, metadata, r1"
	words := func(s string) *a2apb.Message {
		return &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
	}
	for name, test := range map[string]struct {
		phase             orchestrator.Phase
		state             a2apb.TaskState
		guarded, released bool
		want              string
	}{
		"while the agent asks":       {orchestrator.PhaseExecution, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, true, false, ""},
		"at the gate":                {orchestrator.PhasePreCompletion, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, true, false, ""},
		"after a failure":            {orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_FAILED, true, false, ""},
		"after the review":           {orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_COMPLETED, true, true, "an artifact, metadata, r1"},
		"a question without reviews": {orchestrator.PhaseExecution, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, false, false, all},
		"a result without reviews":   {orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_COMPLETED, false, true, all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			metadata, err := structpb.NewStruct(map[string]any{"said": "metadata"})
			if err != nil {
				t.Fatal(err)
			}
			task := orchestrator.Task{
				Tenant: "default", ID: "t", Owner: "alice", Phase: test.phase, State: test.state, Released: test.released,
				Attempts:      []orchestrator.Attempt{{Number: 1, RemoteTaskID: "r1"}},
				Turns:         []orchestrator.Turn{{Number: 1, FromAgent: true, Message: words("its question")}},
				StatusMessage: words("its last words"), Metadata: metadata,
				Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: words("an artifact").GetParts()}},
			}
			if test.guarded {
				task.Requirements = []consultation.Requirement{{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreCompletion, Mandatory: true}}
			}
			store := &storetest.Memory{}
			if _, _, err := store.Create(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			alice := auth.Principal{Tenant: "default", Name: "alice", Roles: []auth.Role{auth.RoleDispatcher}}
			got, err := rpc.New(nil, store, page.New([]byte("key"))).GetTask(auth.NewContext(t.Context(), alice), &orchestratorv1.GetTaskRequest{Id: "t"})
			if err != nil {
				t.Fatalf("GetTask() = %v", err)
			}
			var shown []string
			for said := range strings.SplitSeq(all, ", ") {
				if strings.Contains(got.String(), `"`+said+`"`) {
					shown = append(shown, said)
				}
			}
			if strings.Join(shown, ", ") != test.want {
				t.Errorf("GetTask() shows %q, want %q", shown, test.want)
			}
		})
	}
}

func TestOnlyTheAgentItselfSeesWhatItExecutes(t *testing.T) {
	t.Parallel()
	task := orchestrator.Task{Tenant: "default", Owner: "alice", Agent: "echo"}
	for role, want := range map[auth.Role]bool{auth.RoleAgent: true, auth.RoleDispatcher: false} {
		if got := rpc.MaySee(auth.Principal{Tenant: "default", Name: "echo", Roles: []auth.Role{role}}, &task); got != want {
			t.Errorf("MaySee() of a caller echo with the role %s = %t, want %t", role, got, want)
		}
	}
}
