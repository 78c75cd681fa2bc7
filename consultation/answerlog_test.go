package consultation_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/logtest"
)

// TestTheLogSaysWhyATaskPassed is for the auditor, who has only the log once the task has been removed.
func TestTheLogSaysWhyATaskPassed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer func(t *testing.T, f *fixture, b *backend, c consultation.Consultation)
		want   []string
	}{
		"a verdict that was received": {
			func(t *testing.T, f *fixture, _ *backend, c consultation.Consultation) {
				t.Helper()
				f.record(t, claim(c, "approved", spanID))
			},
			[]string{"evidence_level=C2", `backend=""`},
		},
		"a verdict that was found": {
			func(t *testing.T, f *fixture, b *backend, c consultation.Consultation) {
				t.Helper()
				b.claims = []consultation.Claim{claim(c, "approved", spanID)}
				f.check(t)
			},
			[]string{"evidence_level=C1", "backend=jaeger"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, b := newTraced(t, consultation.LevelCarried)
			var log logtest.Buffer
			f.Ledger = consultation.NewLedger(f.store, consultation.LedgerOptions{
				Now: f.Now, Lowest: consultation.LevelCarried, Traces: []consultation.Traces{b}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			c := f.carried(t)
			test.answer(t, f, b, c)
			for _, want := range append(test.want, "tenant="+tenant, "consultation_id="+c.ID, "task_id="+task, "requirement_id=r", "attempt=1", "source_agent="+source,
				"target_agent="+target, "subject_digest="+current, "outcome=approved", "required_level=C1", "verdict_trace_id="+c.TraceID, "verdict_span_id="+spanID) {
				if !strings.Contains(log.String(), " "+want) {
					t.Errorf("the log is %q, want it to contain %s", log.String(), want)
				}
			}
		})
	}
}
