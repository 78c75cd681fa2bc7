package otlp_test

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation/otlp"
)

// BenchmarkVerdictsOfALargeResource reads what fits into a request of 700 bytes with gzip.
func BenchmarkVerdictsOfALargeResource(b *testing.B) {
	const attributes, verdicts = 100_000, 1_000
	traces := ptrace.NewTraces()
	resource := traces.ResourceSpans().AppendEmpty()
	list := make(map[string]any, attributes)
	for i := range attributes {
		list[string(rune('a'+i))] = ""
	}
	if err := resource.Resource().Attributes().FromRaw(list); err != nil {
		b.Fatal(err)
	}
	spans := resource.ScopeSpans().AppendEmpty().Spans()
	for range verdicts {
		spans.AppendEmpty().SetName(otlp.SpanName)
	}
	for b.Loop() {
		if n := len(otlp.VerdictsIn(traces)); n != verdicts {
			b.Fatalf("VerdictsIn() = %d, want %d", n, verdicts)
		}
	}
}
