package rpc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// TestWhatNoReviewerHasSeenIsNotShown has an agent say something different in each place where it may say something.
func TestWhatNoReviewerHasSeenIsNotShown(t *testing.T) {
	t.Parallel()
	const all = "the reply, its question, its last words, an artifact, metadata, r1"
	words := func(s string) *a2apb.Message {
		return &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: s}}}}
	}
	for name, test := range map[string]struct {
		phase             orchestrator.Phase
		state             a2apb.TaskState
		guarded, released bool
		want              string
	}{
		"while the agent asks":       {orchestrator.PhaseExecution, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, true, false, "the reply"},
		"at the gate":                {orchestrator.PhasePreCompletion, a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, true, false, "the reply"},
		"after a failure":            {orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_FAILED, true, false, "the reply"},
		"after the review":           {orchestrator.PhaseDone, a2apb.TaskState_TASK_STATE_COMPLETED, true, true, "the reply, an artifact, metadata"},
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
				Turns:         []orchestrator.Turn{{Number: 1, FromAgent: true, Message: words("its question")}, {Number: 2, Message: words("the reply")}},
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
			if asks := test.guarded && test.phase == orchestrator.PhaseExecution; strings.Contains(got.GetStatusMessage().String(), "held back") != asks {
				t.Errorf("GetTask() has status message %v, want one that says that the question is held back: %t", got.GetStatusMessage(), asks)
			}
			if withheld := test.guarded && !test.released; (got.GetWithheldArtifacts() == 1) != withheld {
				t.Errorf("GetTask() = %d withheld artifacts, want one: %t", got.GetWithheldArtifacts(), withheld)
			}
		})
	}
}

// TestAnAgentWithTheNameOfACallerIsNotThatCaller has an agent whose card gives it the name of who submits tasks to it.
func TestAnAgentWithTheNameOfACallerIsNotThatCaller(t *testing.T) {
	t.Parallel()
	agent := auth.Principal{Tenant: "default", Name: "alice", Roles: []auth.Role{auth.RoleAgent}}
	if rpc.MaySee(agent, &orchestrator.Task{Tenant: "default", Owner: "alice", Agent: "echo"}) {
		t.Error("MaySee() of the agent alice = true for a task that the caller alice gave to echo, want false")
	}
	held := orchestrator.Task{
		Tenant: "default", Owner: "alice", Agent: "alice", Message: &a2apb.Message{MessageId: "m"},
		Requirements: []consultation.Requirement{{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreExecution, Mandatory: true}},
	}
	if rpc.HoldMessage(agent, &held); held.Message != nil || !rpc.MaySee(agent, &held) {
		t.Errorf("HoldMessage() leaves the agent alice %v of a task that the caller alice gave to it, want no message before the review", held.Message)
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

// TestAMessageIsHeldBackFromItsAgentBeforeTheReview has a task that its agent may see but not yet begin.
func TestAMessageIsHeldBackFromItsAgentBeforeTheReview(t *testing.T) {
	t.Parallel()
	store := &storetest.Memory{}
	task := orchestrator.Task{
		Tenant: "default", ID: "t", Owner: "alice", Agent: "echo", Phase: orchestrator.PhasePreExecution, Message: &a2apb.Message{MessageId: "m"},
		Requirements: []consultation.Requirement{{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreExecution, Mandatory: true}},
	}
	begun := task
	begun.ID, begun.Gates = "begun", []orchestrator.Gate{{Phase: orchestrator.PhasePreExecution, Allowed: true}}
	for _, task := range []orchestrator.Task{task, begun} {
		if _, _, err := store.Create(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	s := rpc.New(nil, store, page.New([]byte("key")))
	for name, test := range map[string]struct {
		caller string
		roles  []auth.Role
		sees   bool
		want   string // the message before the review
	}{
		"its agent":                      {"echo", []auth.Role{auth.RoleAgent}, true, ""},
		"its agent, which dispatches":    {"echo", []auth.Role{auth.RoleAgent, auth.RoleDispatcher}, true, ""},
		"its agent, which views as well": {"echo", []auth.Role{auth.RoleAgent, auth.RoleViewer}, true, "m"},
		"who submitted it":               {"alice", []auth.Role{auth.RoleDispatcher}, true, "m"},
		"an admin":                       {"root", []auth.Role{auth.RoleAdmin}, true, "m"},
		"a viewer":                       {"eve", []auth.Role{auth.RoleViewer}, true, "m"},
		"another dispatcher":             {"bob", []auth.Role{auth.RoleDispatcher}, false, ""},
		"another agent":                  {"reviewer", []auth.Role{auth.RoleAgent}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: "default", Name: test.caller, Roles: test.roles})
			got, err := s.GetTask(ctx, &orchestratorv1.GetTaskRequest{Id: "t"})
			if (err == nil) != test.sees || got.GetMessage().GetMessageId() != test.want {
				t.Errorf("GetTask(t) = %v, %v, want it seen: %t, with the message %q", got, err, test.sees, test.want)
			}
			got, err = s.GetTask(ctx, &orchestratorv1.GetTaskRequest{Id: "begun"})
			if (err == nil) != test.sees || (got.GetMessage() != nil) != test.sees {
				t.Errorf("GetTask(begun) = %v, %v, want it seen with its message: %t", got, err, test.sees)
			}
			if _, err := s.GetTask(ctx, &orchestratorv1.GetTaskRequest{Id: "none"}); fault.ReasonOf(err) != "TASK_NOT_FOUND" {
				t.Errorf("GetTask(none) = %v, want TASK_NOT_FOUND", err)
			}
			if list, err := s.ListTasks(ctx, &orchestratorv1.ListTasksRequest{}); err != nil || (len(list.GetTasks()) == 2) != test.sees {
				t.Errorf("ListTasks() = %v, %v, want both tasks: %t", list, err, test.sees)
			}
		})
	}
}

func TestWhatACarriedConsultationAsksIsNotShown(t *testing.T) {
	t.Parallel()
	store := &storetest.Memory{}
	task := orchestrator.Task{
		Tenant: "default", ID: "t", Parent: &orchestrator.Parent{TaskID: "p", ConsultationID: "c"}, Message: &a2apb.Message{MessageId: "m"},
		Attempts: []orchestrator.Attempt{{Number: 1, RemoteTaskID: "r1"}},
	}
	if _, _, err := store.Create(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: "default", Name: "root", Roles: []auth.Role{auth.RoleAdmin}})
	got, err := rpc.New(nil, store, page.New([]byte("key"))).GetTask(ctx, &orchestratorv1.GetTaskRequest{Id: "t"})
	if err != nil || got.GetMessage() != nil || len(got.GetAttempts()) != 1 || got.GetAttempts()[0].GetRemoteTaskId() != "" {
		t.Errorf("GetTask() = %v, %v, want neither the question nor the id by which its target tells it", got, err)
	}
}

// TestWhatHasNotHappenedHasNoTime has a task whose attempt has begun, and a gate that was not looked at.
func TestWhatHasNotHappenedHasNoTime(t *testing.T) {
	t.Parallel()
	store := &storetest.Memory{}
	task := orchestrator.Task{
		Tenant: "default", ID: "t", Attempts: []orchestrator.Attempt{{Number: 1, StartTime: time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC)}}, Gates: []orchestrator.Gate{{Phase: orchestrator.PhasePreCompletion}},
	}
	if _, _, err := store.Create(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	got, err := rpc.New(nil, store, page.New([]byte("key"))).GetTask(auth.NewContext(t.Context(), admin), &orchestratorv1.GetTaskRequest{Id: "t"})
	if err != nil {
		t.Fatalf("GetTask() = %v", err)
	}
	if a := got.GetAttempts()[0]; a.GetStartTime() == nil || a.GetEndTime() != nil || got.GetGates()[0].GetCheckTime() != nil {
		t.Errorf("GetTask() = %v, want a time of the beginning of the attempt only", got)
	}
}
