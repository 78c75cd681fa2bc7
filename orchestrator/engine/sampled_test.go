package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
)

// TestATaskIsTracedIfItsBeginningWas looks at what agents are told of the trace, by which they decide whether to record spans of their own.
func TestATaskIsTracedIfItsBeginningWas(t *testing.T) {
	for flags, want := range map[trace.TraceFlags]string{trace.FlagsSampled: "-01", 0: "-00"} {
		told := make(chan string, 1)
		w := newWorld(t, &actor{name: "echo", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
			told <- m.GetMetadata().AsMap()["traceparent"].(string)
			return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
		}})
		begun := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: flags})
		task, err := w.engine.Submit(trace.ContextWithSpanContext(t.Context(), begun), engine.Submission{
			Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "echo"},
		})
		if err != nil {
			t.Fatalf("Submit() = %v", err)
		}
		w.awaitEnd(task.ID)
		if got := <-told; !strings.Contains(got, begun.TraceID().String()) || !strings.HasSuffix(got, want) {
			t.Errorf("traceparent of a task whose trace has the flags %s is %q, want that trace and %s", flags, got, want)
		}
	}
}
