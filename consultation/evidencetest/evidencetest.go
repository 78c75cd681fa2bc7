// Package evidencetest is the suite that every source of evidence passes: from the exporter of an agent, through Quorate's own receiver or a trace
// backend, to the verdict on a requirement.
package evidencetest

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
)

// Way is one path of evidence into the ledger.
type Way struct {
	Ledger *consultation.Ledger
	Level  string // of evidence that comes this way
	Unique bool   // duplicate attributes are merged on the way, so that they cannot be detected

	// Export sends traces as the exporter of Target does, and returns when they have arrived. Refused spans are no failure.
	Export func(t *testing.T, traces ptrace.Traces)
}

// Run runs the suite. open returns a way with an empty ledger that has the options, and cleans up after the test.
func Run(t *testing.T, open func(t *testing.T, o consultation.LedgerOptions) Way) {
	t.Helper()
	w := func(t *testing.T) *world {
		t.Helper()
		w := &world{}
		w.Way = open(t, consultation.LedgerOptions{Now: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }})
		return w
	}
	t.Run("each outcome is the verdict", func(t *testing.T) {
		t.Parallel()
		outcomes(t, w)
	})
	t.Run("the strictest of several outcomes is the verdict", func(t *testing.T) {
		t.Parallel()
		strictest(t, w)
	})
	t.Run("a span that does not fit opens nothing", func(t *testing.T) {
		t.Parallel()
		forgeries(t, w)
	})
	t.Run("an approval of other content is no approval of this", func(t *testing.T) {
		t.Parallel()
		replayed(t, w(t))
	})
	t.Run("what is seen after the time does not count", func(t *testing.T) {
		t.Parallel()
		late(t, w(t))
	})
	t.Run("other spans are no evidence", func(t *testing.T) {
		t.Parallel()
		others(t, w(t))
	})
}

// world is a way with a clock that tests can advance.
type world struct {
	Way
	ahead atomic.Int64 // how far the clock is advanced, in nanoseconds
}

func outcomes(t *testing.T, open func(*testing.T) *world) {
	t.Helper()
	for _, outcome := range []string{consultation.OutcomeApproved, consultation.OutcomeRejected, consultation.OutcomeDeferred, consultation.OutcomeError} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.Export(t, Answer(w.ask(t, "now"), outcome))
			allowed, v := w.check(t)
			if allowed != (outcome == consultation.OutcomeApproved) || v.Verdict != outcome || v.Level != w.Level || len(v.Evidence) != 1 {
				t.Errorf("Check() = %v, %+v, want the verdict %s by one span of level %s", allowed, v, outcome, w.Level)
			}
			if e := v.Evidence[0]; e.Feedback != feedback || e.TaskID != Task || e.TargetAgent != Target {
				t.Errorf("Check() shows %+v, want what the span says", e)
			}
		})
	}
}

func strictest(t *testing.T, open func(*testing.T) *world) {
	t.Helper()
	for _, list := range []string{"approved rejected", "rejected approved", "approved deferred", "error approved approved"} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			c := w.ask(t, "now")
			all := ptrace.NewTraces()
			for i, outcome := range strings.Fields(list) {
				one := Answer(c, outcome)
				span(one).SetSpanID([8]byte{7, byte(i)})
				one.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
			}
			w.Export(t, all)
			if allowed, v := w.check(t); allowed {
				t.Errorf("Check() = %v, %s, want it blocked", allowed, v.Reason)
			}
		})
	}
}

func replayed(t *testing.T, w *world) {
	t.Helper()
	first := w.ask(t, "before")
	w.Export(t, Answer(first, consultation.OutcomeApproved))
	if allowed, v := w.check(t); allowed {
		t.Errorf("Check() = %v, %s, want it blocked", allowed, v.Reason)
	}
	second := w.ask(t, "now")
	replay := Answer(first, consultation.OutcomeApproved)
	span(replay).SetTraceID(span(Answer(second, "")).TraceID())
	w.Export(t, replay)
	if allowed, v := w.check(t); allowed {
		t.Errorf("Check() after the replay = %v, %s, want it blocked", allowed, v.Reason)
	}
}

func late(t *testing.T, w *world) {
	t.Helper()
	c := w.ask(t, "now")
	w.ahead.Store(int64(16 * time.Minute))
	w.Export(t, Answer(c, consultation.OutcomeApproved))
	if allowed, v := w.check(t); allowed || v.Verdict != consultation.VerdictMissing {
		t.Errorf("Check() = %v, %s, want it blocked as missing", allowed, v.Verdict)
	}
}

func others(t *testing.T, w *world) {
	t.Helper()
	traces := Answer(w.ask(t, "now"), consultation.OutcomeApproved)
	span(traces).SetName("quorate.consultation.verdict.draft")
	w.Export(t, traces)
	if allowed, v := w.check(t); allowed || len(v.Evidence) > 0 {
		t.Errorf("Check() = %v, %+v, want it blocked without evidence", allowed, v)
	}
}
