package engine_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// sentFor returns a message like the one that Quorate sends to the agent of a task.
func sentFor(id string) *a2apb.Message {
	m, about := text("do it"), &structpb.Struct{Fields: map[string]*structpb.Value{"taskId": structpb.NewStringValue(id)}}
	m.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{consultation.ExtensionURI: structpb.NewStructValue(about)}}
	return m
}

// TestAMessageThatKeepsComingBackIsRefused submits each time what Quorate sends to the agent, as an agent does that is Quorate itself.
func TestAMessageThatKeepsComingBackIsRefused(t *testing.T) {
	w := newWorld(t, &actor{name: "itself", play: delivers("done")})
	to := orchestrator.Route{Agent: "itself"}
	last := w.submit(engine.Submission{Route: to}).ID
	for range orchestrator.MaxReturns {
		last = w.submit(engine.Submission{Route: to, Message: sentFor(last)}).ID
	}
	again := engine.Submission{Tenant: tenant, Caller: "tester", Route: to, Message: sentFor(last)}
	if task, err := w.engine.Submit(t.Context(), again); fault.ReasonOf(err) != "TASK_IN_CIRCLE" {
		t.Errorf("Submit() of a message that has come back %d times = %v, %v, want TASK_IN_CIRCLE", orchestrator.MaxReturns+1, task.ID, err)
	}
	again.Message = sentFor(orchestrator.TaskID(tenant, "tester", "of another Quorate"))
	if _, err := w.engine.Submit(t.Context(), again); err != nil {
		t.Errorf("Submit() of another Quorate's message = %v, want no error", err)
	}
}
