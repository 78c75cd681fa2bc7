package jaeger_test

import (
	"encoding/binary"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/evidencetest"
	"github.com/quorate/quorate/consultation/jaeger"
	"github.com/quorate/quorate/consultation/jaeger/jaegertest"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/boltdb"
)

// newLedger returns an empty ledger that asks the backends.
func newLedger(t *testing.T, o consultation.LedgerOptions, traces ...consultation.Traces) *consultation.Ledger {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	o.Traces, o.Lowest = traces, consultation.LevelCarried
	return consultation.NewLedger(embedded.New(db), o)
}

func TestEvidenceComesThroughARealJaeger(t *testing.T) {
	t.Parallel()
	j := jaegertest.Start(t)
	evidencetest.Run(t, func(t *testing.T, o consultation.LedgerOptions) evidencetest.Way {
		t.Helper()
		return evidencetest.Way{
			Ledger: newLedger(t, o, jaeger.New(jaeger.Config{URL: j.Query, Client: new(http.Client)})),
			Level:  consultation.LevelCarried,
			Export: func(t *testing.T, traces ptrace.Traces) {
				t.Helper()
				j.Export(t, traces)
			},
		}
	})
}

// A forged trace that is too large to read hides the honest span in it: that is no reason to let the task pass, nor to say that nobody answered.
func TestATraceThatIsTooLargeInARealJaegerIsUnavailable(t *testing.T) {
	t.Parallel()
	j := jaegertest.Start(t)
	client := jaeger.New(jaeger.Config{URL: j.Query, Client: new(http.Client), Timeout: time.Minute})
	for name, test := range map[string]struct {
		spans int
		name  string
		want  string
	}{
		"many spans":    {60_000, "noise", "more than 4194304 bytes"},
		"many verdicts": {300, otlp.SpanName, "more than 256 verdicts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t, consultation.LedgerOptions{}, client)
			c := evidencetest.Ask(t, l, "now")
			j.Export(t, evidencetest.Answer(c, consultation.OutcomeApproved))
			j.Export(t, noise(c, test.name, test.spans))
			if claims, err := client.Verdicts(t.Context(), c); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Verdicts() = %d claims, %v, want the error %q", len(claims), err, test.want)
			}
			if allowed, v := evidencetest.Check(t, l); allowed || v.Verdict != consultation.VerdictUnavailable {
				t.Errorf("Check() = %v, %s, want it blocked as unavailable", allowed, v.Verdict)
			}
		})
	}
}

// noise returns spans in the trace of c.
func noise(c consultation.Consultation, name string, count int) ptrace.Traces {
	traces := evidencetest.Answer(c, "")
	spans := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	traceID := spans.At(0).TraceID()
	spans.RemoveIf(func(ptrace.Span) bool { return true })
	spans.EnsureCapacity(count)
	for i := range count {
		s := spans.AppendEmpty()
		var id [8]byte
		binary.BigEndian.PutUint64(id[:], uint64(i+1)<<8)
		s.SetTraceID(traceID)
		s.SetSpanID(id)
		s.SetName(name)
	}
	return traces
}
