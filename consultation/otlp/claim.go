package otlp

import (
	"context"
	"iter"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// record records the verdict in s. A refusal is about this span only.
func (r *Receiver) record(ctx context.Context, recorder consultation.Recorder, resource pcommon.Map, s ptrace.Span) error {
	cl := claim(resource, s)
	if cl.Unreadable != nil {
		return cl.Unreadable
	}
	return r.ledger.Record(ctx, recorder, cl)
}

// Verdicts returns the claims of the verdict spans in traces, in order. The traces are OTLP JSON, within the limits for a request to the receiver. An
// error is an InvalidArgument fault with the reason TRACES_INVALID.
func Verdicts(traces []byte) ([]consultation.Claim, error) {
	decoded, err := decode(traces, true)
	if err != nil {
		return nil, err
	}
	return VerdictsIn(decoded), nil
}

// VerdictsIn is Verdicts for decoded traces.
func VerdictsIn(traces ptrace.Traces) []consultation.Claim {
	var claims []consultation.Claim
	for resource, s := range verdictSpans(traces) {
		claims = append(claims, claim(resource, s))
	}
	return claims
}

// verdictSpans yields the verdict spans in traces, in order, with the attributes of their resources.
func verdictSpans(traces ptrace.Traces) iter.Seq2[pcommon.Map, ptrace.Span] {
	return func(yield func(pcommon.Map, ptrace.Span) bool) {
		for _, rs := range traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if s.Name() == SpanName && !yield(rs.Resource().Attributes(), s) {
						return
					}
				}
			}
		}
	}
}

// claim reads the verdict in s.
func claim(resource pcommon.Map, s ptrace.Span) consultation.Claim {
	cl := consultation.Claim{TraceID: s.TraceID().String(), SpanID: s.SpanID().String()}
	cl.Unreadable = read(&cl, resource, s.Attributes())
	return cl
}

// read reads the attributes into cl. Its error is a refusal.
func read(cl *consultation.Claim, resource, span pcommon.Map) error {
	if err := noDuplicates(resource, serviceNameKey); err != nil {
		return err
	}
	if err := noDuplicates(span, attributePrefix); err != nil {
		return err
	}
	if err := readStrings(resource, map[string]*string{serviceNameKey: &cl.ServiceName}); err != nil {
		return err
	}
	err := readStrings(span, map[string]*string{
		IDKey: &cl.ConsultationID, TaskKey: &cl.TaskID, RequirementKey: &cl.RequirementID, PhaseKey: &cl.Phase,
		SourceKey: &cl.SourceAgent, TargetKey: &cl.TargetAgent, OutcomeKey: &cl.Outcome, DigestKey: &cl.SubjectDigest,
		FeedbackKey: &cl.Feedback, SignatureKey: &cl.Signature,
	})
	if err != nil {
		return err
	}
	return readInts(span, map[string]*int{AttemptKey: &cl.Attempt, SchemaVersionKey: &cl.SchemaVersion})
}

func readStrings(from pcommon.Map, into map[string]*string) error {
	for key, value := range from.All() {
		to, wanted := into[key]
		if !wanted {
			continue
		}
		if value.Type() != pcommon.ValueTypeStr {
			return malformed(consultation.ReasonMalformed, "the attribute %s is not a string", key)
		}
		*to = value.Str()
	}
	return nil
}

func readInts(from pcommon.Map, into map[string]*int) error {
	for key, value := range from.All() {
		to, wanted := into[key]
		if !wanted {
			continue
		}
		if value.Type() != pcommon.ValueTypeInt || value.Int() < 0 || value.Int() > math.MaxInt32 {
			return malformed(consultation.ReasonMalformed, "the attribute %s is not a small integer", key)
		}
		*to = int(value.Int())
	}
	return nil
}

// noDuplicates refuses two values for a key that begins with prefix: different readers of the span would see different verdicts.
func noDuplicates(attributes pcommon.Map, prefix string) error {
	seen := make(map[string]bool)
	for key := range attributes.All() {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if seen[key] {
			return malformed(consultation.ReasonDuplicateKey, "the attribute %.64q appears twice", key)
		}
		seen[key] = true
	}
	return nil
}

func malformed(reason, format string, args ...any) error {
	return fault.New(fault.InvalidArgument, reason, format, args...)
}
