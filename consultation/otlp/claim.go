package otlp

import (
	"cmp"
	"iter"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

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
	for from, s := range verdictSpans(traces) {
		claims = append(claims, claim(from, s))
	}
	return claims
}

// sender is what the resource of spans says of who sent them.
type sender struct {
	service    string
	unreadable error // a refusal; nil when service could be read
}

func senderOf(resource pcommon.Map) *sender {
	from := &sender{}
	if from.unreadable = noDuplicates(resource, serviceNameKey); from.unreadable == nil {
		from.unreadable = readStrings(resource, map[string]*string{serviceNameKey: &from.service})
	}
	return from
}

// verdictSpans yields the verdict spans in traces, in order, with their senders. It reads each resource once: there may be a thousand verdicts of one with
// a hundred thousand attributes.
func verdictSpans(traces ptrace.Traces) iter.Seq2[*sender, ptrace.Span] {
	return func(yield func(*sender, ptrace.Span) bool) {
		for _, rs := range traces.ResourceSpans().All() {
			var from *sender
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if s.Name() != SpanName {
						continue
					}
					if from == nil {
						from = senderOf(rs.Resource().Attributes())
					}
					if !yield(from, s) {
						return
					}
				}
			}
		}
	}
}

// claim reads the verdict in s.
func claim(from *sender, s ptrace.Span) consultation.Claim {
	cl := consultation.Claim{TraceID: s.TraceID().String(), SpanID: s.SpanID().String(), ServiceName: from.service}
	err := read(&cl, s.Attributes())
	cl.Unreadable = cmp.Or(from.unreadable, err)
	return cl
}

// read reads the attributes into cl, as many as it can: the id says which consultation a span is about that does not count. Its error is a refusal.
func read(cl *consultation.Claim, span pcommon.Map) error {
	texts := readStrings(span, map[string]*string{
		IDKey: &cl.ConsultationID, TaskKey: &cl.TaskID, RequirementKey: &cl.RequirementID, PhaseKey: &cl.Phase,
		SourceKey: &cl.SourceAgent, TargetKey: &cl.TargetAgent, OutcomeKey: &cl.Outcome, DigestKey: &cl.SubjectDigest,
		FeedbackKey: &cl.Feedback, SignatureKey: &cl.Signature,
	})
	numbers := readInts(span, map[string]*int{AttemptKey: &cl.Attempt, SchemaVersionKey: &cl.SchemaVersion})
	return cmp.Or(noDuplicates(span, attributePrefix), texts, numbers)
}

// readStrings reads the attributes that are strings; its error is about the first one that is not.
func readStrings(from pcommon.Map, into map[string]*string) (wrong error) {
	for key, value := range from.All() {
		switch to, wanted := into[key]; {
		case !wanted:
		case value.Type() == pcommon.ValueTypeStr:
			*to = value.Str()
		case wrong == nil:
			wrong = malformed(consultation.ReasonMalformed, "the attribute %s has the type %s, want a string", key, value.Type())
		}
	}
	return wrong
}

func readInts(from pcommon.Map, into map[string]*int) error {
	for key, value := range from.All() {
		to, wanted := into[key]
		if !wanted {
			continue
		}
		if value.Type() != pcommon.ValueTypeInt {
			return malformed(consultation.ReasonMalformed, "the attribute %s has the type %s, want an integer", key, value.Type())
		}
		if value.Int() < 0 || value.Int() > math.MaxInt32 {
			return malformed(consultation.ReasonMalformed, "the attribute %s is %d, want a small integer", key, value.Int())
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
