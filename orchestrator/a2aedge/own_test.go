package a2aedge_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	taskrpc "github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// TestOnlyWhoSubmittedATaskChangesIt tries everything that changes a task with the credentials of callers who submit others; one may not even see it.
func TestOnlyWhoSubmittedATaskChangesIt(t *testing.T) {
	t.Parallel()
	message := &a2apb.Message{MessageId: "m", TaskId: "t", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}}}
	for name, test := range map[string]struct {
		caller            string
		role              auth.Role
		changes, consults bool
		refusal           string
	}{
		"who submitted it":   {"alice", auth.RoleDispatcher, true, true, ""},
		"an admin":           {"root", auth.RoleAdmin, true, true, ""},
		"its agent":          {"echo", auth.RoleAgent, false, true, "TASK_NOT_YOURS"},
		"somebody who views": {"eve", auth.RoleViewer, false, false, "TASK_NOT_YOURS"},
		"another dispatcher": {"bob", auth.RoleDispatcher, false, false, "TASK_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := new(storetest.Memory)
				if _, _, err := store.Create(t.Context(), orchestrator.Task{
					Tenant: "default", ID: "t", Owner: "alice", Agent: "echo", State: a2apb.TaskState_TASK_STATE_WORKING, Phase: orchestrator.PhaseExecution, Message: message,
				}); err != nil {
					t.Fatal(err)
				}
				s, e, ctx := serviceWithEngine(t, store)
				ctx = auth.NewContext(ctx, auth.Principal{Tenant: "default", Name: test.caller, Roles: []auth.Role{test.role, auth.RoleDispatcher}})
				tasks, asking := taskrpc.New(e, store, nil), taskrpc.NewConsultations(e, store)
				for what, do := range map[string]func(context.Context) error{
					"SendMessage": func(ctx context.Context) error {
						_, err := s.SendMessage(ctx, &a2apb.SendMessageRequest{Message: message})
						return err
					},
					"CreateTaskPushNotificationConfig": func(ctx context.Context) error {
						_, err := s.CreateTaskPushNotificationConfig(ctx, &a2apb.TaskPushNotificationConfig{TaskId: "t", Url: "https://example.com"})
						return err
					},
					"ListTaskPushNotificationConfigs": func(ctx context.Context) error {
						_, err := s.ListTaskPushNotificationConfigs(ctx, &a2apb.ListTaskPushNotificationConfigsRequest{TaskId: "t"})
						return err
					},
					"DeleteTaskPushNotificationConfig": func(ctx context.Context) error {
						_, err := s.DeleteTaskPushNotificationConfig(ctx, &a2apb.DeleteTaskPushNotificationConfigRequest{TaskId: "t", Id: "w"})
						return err
					},
					"CancelTask": func(ctx context.Context) error {
						_, err := s.CancelTask(ctx, &a2apb.CancelTaskRequest{Id: "t"})
						return err
					},
					"CancelTask of the task API": func(ctx context.Context) error {
						_, err := tasks.CancelTask(ctx, &orchestratorv1.CancelTaskRequest{Id: "t"})
						return err
					},
					"ReplyToTask": func(ctx context.Context) error {
						_, err := tasks.ReplyToTask(ctx, &orchestratorv1.ReplyToTaskRequest{Id: "t", Message: message})
						return err
					},
				} {
					if got := notYours(do(ctx)); (got == "") != test.changes || !test.changes && got != test.refusal {
						t.Errorf("%s() is refused with %q, want it allowed: %t, or refused with %q", what, got, test.changes, test.refusal)
					}
				}
				_, carried := asking.Consult(ctx, "default", "t", "r", nil, consultation.Request{})
				_, _, direct := asking.ConsultDirectly(ctx, "default", "t", "r", nil, consultation.Request{})
				for what, err := range map[string]error{"Consult": carried, "ConsultDirectly": direct} {
					if got := notYours(err); (got == "") != test.consults || !test.consults && got != test.refusal {
						t.Errorf("%s() is refused with %q, want it allowed: %t, or refused with %q", what, got, test.consults, test.refusal)
					}
				}
				if _, err := asking.Subjects(ctx, "default", "t"); (notYours(err) != "") != (test.refusal == "TASK_NOT_FOUND") {
					t.Errorf("Subjects() = %v, want them told to whoever may see the task", err)
				}
			})
		})
	}
}

// notYours returns the reason of an error that says that a task is not the caller's.
func notYours(err error) string {
	switch reason := fault.ReasonOf(err); {
	case reason == "TASK_NOT_YOURS" || reason == "TASK_NOT_FOUND":
		return reason
	case status.Code(err) == codes.NotFound: // this is how A2A says it
		return "TASK_NOT_FOUND"
	default:
		return ""
	}
}
