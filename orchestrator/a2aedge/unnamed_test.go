package a2aedge_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
)

// unnamer is an agent that gives its artifact no id, and a part of it no content.
type unnamer struct {
	a2apb.UnimplementedA2AServiceServer
}

func (unnamer) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{
		Id: "remote", ContextId: "c", Status: &a2apb.TaskStatus{State: a2apb.TaskState_TASK_STATE_COMPLETED},
		Artifacts: []*a2apb.Artifact{{Parts: []*a2apb.Part{{MediaType: "text/plain"}, {Content: &a2apb.Part_Text{Text: "done"}}}}},
	}}})
}

// TestATaskWhoseAgentForgetsSomethingCanBeRead reads it with a2a-go's client, as an answer, from a stream and in a list.
func TestATaskWhoseAgentForgetsSomethingCanBeRead(t *testing.T) {
	w := newWorld(t)
	w.addHandMade(t, "unnamer", unnamer{})
	for _, binding := range bindings {
		c := w.client(t, "/agents/unnamer", binding)
		task := send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil)})
		if len(task.Artifacts) != 1 || len(task.Artifacts[0].Parts) != 1 || task.Artifacts[0].ID == "" || task.Artifacts[0].Parts[0].Text() != "done" {
			t.Errorf("%s: the task has the artifacts %+v, want the agent's with an id and the part that has content", binding, task.Artifacts)
		}
		collect(t, c.SendStreamingMessage(w.ctx, &a2a.SendMessageRequest{Message: text("x", nil)}))
		list, err := c.ListTasks(w.ctx, &a2a.ListTasksRequest{PageSize: 2, IncludeArtifacts: true})
		if err != nil || len(list.Tasks) != 2 {
			t.Errorf("%s: ListTasks() = %v, %v, want both tasks", binding, list, err)
		}
	}
}
