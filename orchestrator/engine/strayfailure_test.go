package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestAFailureUnderAnotherIDIsTheTasks has agents end their stream as the A2A project's server for JavaScript did before 1.0 when its agent broke down:
// with the failure of a task that nobody knows, in the context of the one that it named, which it says is working for ever after.
func TestAFailureUnderAnotherIDIsTheTasks(t *testing.T) {
	t.Parallel()
	status := func(task, room string, state a2apb.TaskState, words string) *a2apb.StreamResponse {
		return &a2apb.StreamResponse{Payload: &a2apb.StreamResponse_StatusUpdate{StatusUpdate: &a2apb.TaskStatusUpdateEvent{
			TaskId: task, ContextId: room, Status: &a2apb.TaskStatus{State: state, Message: text(words)},
		}}}
	}
	failed := status("r2", "room", a2apb.TaskState_TASK_STATE_FAILED, "thrown")
	for name, test := range map[string]struct {
		says []*a2apb.StreamResponse
		cut  error
		want a2apb.TaskState
	}{
		"at the end":         {[]*a2apb.StreamResponse{failed}, nil, a2apb.TaskState_TASK_STATE_FAILED},
		"in another context": {[]*a2apb.StreamResponse{status("r2", "other", a2apb.TaskState_TASK_STATE_FAILED, "thrown")}, nil, a2apb.TaskState_TASK_STATE_COMPLETED},
		"before other words": {[]*a2apb.StreamResponse{failed, status("r1", "room", a2apb.TaskState_TASK_STATE_WORKING, "on it")}, nil, a2apb.TaskState_TASK_STATE_COMPLETED},
		"before a cut":       {[]*a2apb.StreamResponse{failed}, errCut, a2apb.TaskState_TASK_STATE_COMPLETED},
		"without a failure":  {[]*a2apb.StreamResponse{status("r2", "room", a2apb.TaskState_TASK_STATE_CANCELED, "no")}, nil, a2apb.TaskState_TASK_STATE_COMPLETED},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &actor{name: "agent"}
			a.play = func(_ context.Context, _ *a2apb.Message, say agentclient.Each) error {
				begun := snapshot("r1", a2apb.TaskState_TASK_STATE_WORKING, "")
				begun.GetTask().ContextId = "room"
				if test.want == a2apb.TaskState_TASK_STATE_COMPLETED {
					a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
				} else {
					a.remember(remoteTask("r1", a2apb.TaskState_TASK_STATE_WORKING, ""))
				}
				for _, r := range append([]*a2apb.StreamResponse{begun}, test.says...) {
					if err := say(r); err != nil {
						return err
					}
				}
				return test.cut
			}
			w := newWorld(t, a)
			task, log := w.awaitEnd(w.submit(engine.Submission{Route: orchestrator.Route{Agent: "agent"}}).ID)
			if task.State != test.want || task.Error != nil && !strings.Contains(task.Error.Message, "thrown") {
				t.Errorf("state %s, error %+v, want %s; log %v", task.State, task.Error, test.want, log)
			}
		})
	}
}
