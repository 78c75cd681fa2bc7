package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/platform/fault"
)

// tracer keeps the spans that have ended.
type tracer struct {
	noop.Tracer

	mu    sync.Mutex
	ended []ended
}

// ended is a span that has ended: its name, its parent, its attributes and how it went, a line each.
type ended []string

type begun struct {
	noop.Span

	tracer *tracer
	lines  ended
}

func (r *tracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	parent, config := trace.SpanContextFromContext(ctx), trace.NewSpanStartConfig(options...)
	s := &begun{tracer: r, lines: ended{name, "under " + parent.SpanID().String()}}
	s.SetAttributes(config.Attributes()...)
	return ctx, s
}

func (*begun) IsRecording() bool { return true }

func (s *begun) SetAttributes(list ...attribute.KeyValue) {
	for _, a := range list {
		if a.Key != "quorate.task.id" { // another one each time
			s.lines = append(s.lines, string(a.Key)+"="+a.Value.AsString())
		}
	}
}

func (s *begun) SetStatus(code codes.Code, text string) {
	s.lines = append(s.lines, code.String()+": "+text)
}

func (s *begun) End(...trace.SpanEndOption) {
	s.tracer.mu.Lock()
	defer s.tracer.mu.Unlock()
	s.tracer.ended = append(s.tracer.ended, s.lines)
}

func (r *tracer) spans() []ended {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ended)
}

// TestAnExchangeHasASpanIfTheCallHad looks at Quorate's own spans, and at what the agent is told of the trace, by which it decides about its own.
func TestAnExchangeHasASpanIfTheCallHad(t *testing.T) {
	refusal := fault.Invalid("", "TOO_ODD", "that is too odd")
	for name, test := range map[string]struct {
		flags  trace.TraceFlags
		answer error
		want   []ended
	}{
		"recorded": {trace.FlagsSampled, nil, []ended{
			{"invoke_agent echo", "under 0100000000000000", "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=echo"},
		}},
		"recorded, fails": {trace.FlagsSampled, refusal, []ended{
			{"invoke_agent echo", "under 0100000000000000", "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=echo", "error.type=TOO_ODD", "Error: that is too odd"},
		}},
		"not recorded": {0, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan string, 1)
			spans := &tracer{}
			w := newWorldWith(t, func(w *world) { w.tracer = spans }, &actor{name: "echo", play: func(_ context.Context, m *a2apb.Message, say agentclient.Each) error {
				told <- m.GetMetadata().AsMap()["traceparent"].(string)
				if test.answer != nil {
					return test.answer
				}
				return say(snapshot("r1", a2apb.TaskState_TASK_STATE_COMPLETED, "", "done"))
			}})
			call := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: test.flags})
			task, err := w.engine.Submit(trace.ContextWithSpanContext(t.Context(), call), engine.Submission{
				Tenant: tenant, Caller: "tester", Message: text("do it"), Route: orchestrator.Route{Agent: "echo"},
			})
			if err != nil {
				t.Fatalf("Submit() = %v", err)
			}
			w.awaitEnd(task.ID)
			if difference := cmp.Diff(test.want, spans.spans()); difference != "" {
				t.Errorf("spans of the exchange differ, (-want +got):\n%s", difference)
			}
			if got := <-told; !strings.HasPrefix(got, "00-"+call.TraceID().String()) || !strings.HasSuffix(got, "-01") {
				t.Errorf("traceparent of the agent is %q, want the call's trace as a recorded one", got)
			}
		})
	}
}
