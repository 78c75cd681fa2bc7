package evidencetest

import (
	"bytes"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
)

const doubled = "with two outcomes in it"

// forgeries exports spans that are correct except for one thing each, and then an honest one.
func forgeries(t *testing.T, open func(*testing.T) *world) {
	t.Helper()
	set := func(key, value string) func(ptrace.Traces) {
		return func(traces ptrace.Traces) { span(traces).Attributes().PutStr(key, value) }
	}
	for name, test := range map[string]struct {
		forge  func(ptrace.Traces)
		reason string
	}{
		"of another task":             {set(otlp.TaskKey, "task-2"), consultation.ReasonOtherTask},
		"of another requirement":      {set(otlp.RequirementKey, "r2"), consultation.ReasonOtherRequirement},
		"of another phase":            {set(otlp.PhaseKey, consultation.PhaseOnError), consultation.ReasonOtherPhase},
		"of another source":           {set(otlp.SourceKey, "planner"), consultation.ReasonOtherSource},
		"of another target":           {set(otlp.TargetKey, "tester"), consultation.ReasonNotTheTarget},
		"of other content":            {set(otlp.DigestKey, digest("before")), consultation.ReasonOtherDigest},
		"with an unknown outcome":     {set(otlp.OutcomeKey, "APPROVED"), consultation.ReasonUnknownOutcome},
		"with too much feedback":      {set(otlp.FeedbackKey, strings.Repeat("x", 1025)), consultation.ReasonFeedbackTooLong},
		"of a review by the source":   {set(otlp.SourceKey, Target), consultation.ReasonSelfReview},
		"with a number as a task":     {func(traces ptrace.Traces) { span(traces).Attributes().PutInt(otlp.TaskKey, 1) }, ""},
		"of another attempt":          {func(traces ptrace.Traces) { span(traces).Attributes().PutInt(otlp.AttemptKey, 2) }, consultation.ReasonOtherAttempt},
		"with a schema of tomorrow":   {func(traces ptrace.Traces) { span(traces).Attributes().PutInt(otlp.SchemaVersionKey, 2) }, consultation.ReasonSchema},
		"of the source's service":     {func(traces ptrace.Traces) { service(traces).PutStr("service.name", Source) }, consultation.ReasonOtherService},
		doubled:                       {twice, ""},
		"without the minted trace":    {func(traces ptrace.Traces) { span(traces).SetTraceID([16]byte{1}) }, ""},
		"of another consultation":     {set(otlp.IDKey, "guess"), ""},
		"without a consultation":      {set(otlp.IDKey, ""), ""},
		"with attributes of an event": {asEvent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			if w.Unique && name == doubled {
				t.Skip("this way has no attributes of one key")
			}
			c := w.ask(t, "now")
			forged := Answer(c, consultation.OutcomeApproved)
			test.forge(forged)
			w.Export(t, forged)
			if allowed, v := w.check(t); allowed || !strings.Contains(v.Found, test.reason) {
				t.Errorf("Check() = %v, found %q, want it blocked and %s", allowed, v.Found, test.reason)
			}
			honest := Answer(c, consultation.OutcomeApproved)
			span(honest).SetSpanID([8]byte{9})
			w.Export(t, honest)
			if allowed, v := w.check(t); !allowed {
				t.Errorf("Check() with an honest span besides = %s, want it allowed", v.Reason)
			}
		})
	}
}

// twice adds a second outcome under the same key, which only the encoded form can express.
func twice(traces ptrace.Traces) {
	placeholder := strings.ToUpper(otlp.OutcomeKey)
	span(traces).Attributes().PutStr(placeholder, consultation.OutcomeRejected)
	encoded, err := new(ptrace.ProtoMarshaler).MarshalTraces(traces)
	if err != nil {
		panic(err) // these are our own traces
	}
	doubled, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(bytes.Replace(encoded, []byte(placeholder), []byte(otlp.OutcomeKey), 1))
	if err != nil {
		panic(err)
	}
	doubled.CopyTo(traces)
}

// asEvent moves the attributes of the span to one of its events, where a search finds them too.
func asEvent(traces ptrace.Traces) {
	s := span(traces)
	event := s.Events().AppendEmpty()
	s.Attributes().MoveTo(event.Attributes())
}
