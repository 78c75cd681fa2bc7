package otlp

import (
	"context"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/fault"
)

// record reads the verdict in s and records it; an error that is a refusal is about this span only.
func (r *Receiver) record(ctx context.Context, recorder consultation.Recorder, resource pcommon.Map, s ptrace.Span) error {
	cl := consultation.Claim{TraceID: s.TraceID().String(), SpanID: s.SpanID().String()}
	if err := noDuplicates(resource, serviceNameKey); err != nil {
		return err
	}
	if err := noDuplicates(s.Attributes(), attributePrefix); err != nil {
		return err
	}
	if err := readStrings(resource, map[string]*string{serviceNameKey: &cl.ServiceName}); err != nil {
		return err
	}
	err := readStrings(s.Attributes(), map[string]*string{
		IDKey: &cl.ConsultationID, TaskKey: &cl.TaskID, RequirementKey: &cl.RequirementID, PhaseKey: &cl.Phase,
		SourceKey: &cl.SourceAgent, TargetKey: &cl.TargetAgent, OutcomeKey: &cl.Outcome, DigestKey: &cl.SubjectDigest,
		FeedbackKey: &cl.Feedback,
	})
	if err != nil {
		return err
	}
	if err := readInts(s.Attributes(), map[string]*int{AttemptKey: &cl.Attempt, SchemaVersionKey: &cl.SchemaVersion}); err != nil {
		return err
	}
	return r.ledger.Record(ctx, recorder, cl)
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

// noDuplicates refuses two values for one key that begins with prefix: readers of the same span would see different verdicts.
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
