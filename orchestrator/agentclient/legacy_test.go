package agentclient_test

import (
	"context"
	"iter"
	"net/http/httptest"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// old is an agent of A2A 0.3, served by a2a-go's own compatibility layer.
type old struct{}

func (old) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		task := a2a.NewSubmittedTask(x, x.Message)
		if !yield(task, nil) || !yield(a2a.NewArtifactEvent(x, a2a.NewTextPart("hello from 0.3")), nil) {
			return
		}
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCompleted, nil), nil)
	}
}

func (old) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(x, a2a.TaskStateCanceled, nil), nil)
	}
}

func TestAnAgentOfTheOldProtocolIsSpokenTo(t *testing.T) {
	server := httptest.NewServer(a2av0.NewJSONRPCHandler(a2asrv.NewHandler(old{})))
	defer server.Close()
	c, binding, err := pool(t).Connect("old", registry.Card{Interfaces: []registry.Interface{{URL: server.URL, Binding: "JSONRPC", ProtocolVersion: "0.3.0"}}})
	if err != nil || binding != agentclient.BindingJSONRPC {
		t.Fatalf("Connect() = %s, %v", binding, err)
	}
	for name, stream := range map[string]bool{"streaming": true, "asked once": false} {
		t.Run(name, func(t *testing.T) {
			id := ""
			err := c.Send(t.Context(), message("m-"+name, "hello"), stream, func(r *a2apb.StreamResponse) error {
				if r.GetTask().GetId() != "" {
					id = r.GetTask().GetId()
				}
				return nil
			})
			if err != nil {
				t.Fatalf("Send() = %v", err)
			}
			if got := await(t, c, id).GetArtifacts()[0].GetParts()[0].GetText(); got != "hello from 0.3" {
				t.Errorf("artifact = %q, want hello from 0.3", got)
			}
		})
	}
	if _, err := c.Task(t.Context(), "nosuchtask", 0); fault.ReasonOf(err) != agentclient.ReasonTaskNotFound {
		t.Errorf("Task(unknown) = %v, want %s", err, agentclient.ReasonTaskNotFound)
	}
}
