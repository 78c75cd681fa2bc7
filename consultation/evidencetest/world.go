package evidencetest

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
)

// The task that the suite's consultations are about.
const (
	Tenant = "default"
	Task   = "task-1"
	Source = "coder"
	Target = "reviewer"
)

const feedback = "line 3 – ok"

var requirement = consultation.Requirement{ID: "r", TargetAgent: Target, Phase: consultation.PhasePreCompletion, Mandatory: true}

func digest(content string) string {
	return consultation.Digest([]consultation.Part{{Kind: "text", Text: content}})
}

func (w *world) ask(t *testing.T, content string) consultation.Consultation {
	t.Helper()
	return Ask(t, w.Ledger, content)
}

func (w *world) check(t *testing.T) (bool, consultation.RequirementVerdict) {
	t.Helper()
	return Check(t, w.Ledger)
}

// Ask issues a consultation about content and records that the answer came back.
func Ask(t *testing.T, l *consultation.Ledger, content string) consultation.Consultation {
	t.Helper()
	c, err := l.Issue(t.Context(), consultation.Question{
		Tenant: Tenant, TaskID: Task, SourceAgent: Source, Requirement: requirement, SubjectDigest: digest(content),
	})
	if err == nil {
		err = l.Carried(t.Context(), Tenant, Task, c.ID)
	}
	if err != nil {
		t.Fatalf("asking about %q = %v, want no error", content, err)
	}
	return c
}

// Check returns the verdict for the content "now".
func Check(t *testing.T, l *consultation.Ledger) (bool, consultation.RequirementVerdict) {
	t.Helper()
	d, err := l.Check(t.Context(), consultation.Subject{
		Tenant: Tenant, TaskID: Task, SourceAgent: Source, Phases: []string{requirement.Phase},
		Digests: map[string]string{requirement.Phase: digest("now")}, Requirements: []consultation.Requirement{requirement},
	})
	if err != nil || len(d.Requirements) != 1 {
		t.Fatalf("Check() = %v, %v, want one requirement", d, err)
	}
	return d.Allowed, d.Requirements[0]
}

// Answer returns the traces by which an honest target answers c.
func Answer(c consultation.Consultation, outcome string) ptrace.Traces {
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", c.TargetAgent)
	s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName(otlp.SpanName)
	s.SetTraceID(pcommon.TraceID(unhex(c.TraceID)))
	s.SetSpanID([8]byte{7})
	s.SetParentSpanID([8]byte(unhex(c.SpanID)))
	s.SetKind(ptrace.SpanKindInternal)
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	a := s.Attributes()
	for key, value := range map[string]string{
		otlp.IDKey: c.ID, otlp.TaskKey: c.TaskID, otlp.RequirementKey: c.RequirementID, otlp.PhaseKey: c.Phase, otlp.SourceKey: c.SourceAgent,
		otlp.TargetKey: c.TargetAgent, otlp.OutcomeKey: outcome, otlp.DigestKey: c.SubjectDigest, otlp.FeedbackKey: feedback,
	} {
		a.PutStr(key, value)
	}
	a.PutInt(otlp.AttemptKey, int64(c.Attempt))
	a.PutInt(otlp.SchemaVersionKey, consultation.SchemaVersion)
	a.PutBool("quorate.consultation.mandatory", true)
	return traces
}

// SignedAnswer is Answer with the target's signature, by a key whose id is kid.
func SignedAnswer(tb testing.TB, c consultation.Consultation, outcome, kid string, key ed25519.PrivateKey) ptrace.Traces {
	tb.Helper()
	traces := Answer(c, outcome)
	payload, err := consultation.Claim{
		TraceID: c.TraceID, ConsultationID: c.ID, TaskID: c.TaskID, RequirementID: c.RequirementID, Phase: c.Phase, SourceAgent: c.SourceAgent,
		TargetAgent: c.TargetAgent, Outcome: outcome, Feedback: feedback, SubjectDigest: c.SubjectDigest, Attempt: c.Attempt,
	}.Payload()
	if err != nil {
		tb.Errorf("Payload() = %v, want no error", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	header := encode(fmt.Appendf(nil, `{"alg":"EdDSA","kid":%q}`, kid))
	span(traces).Attributes().PutStr(otlp.SignatureKey, header+".."+encode(ed25519.Sign(key, []byte(header+"."+encode(payload)))))
	return traces
}

// unhex returns the bytes of a minted id.
func unhex(id string) []byte {
	raw, err := hex.DecodeString(id)
	if err != nil {
		panic("the ledger minted " + id) // a bug in the ledger
	}
	return raw
}

func span(traces ptrace.Traces) ptrace.Span {
	return traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

func service(traces ptrace.Traces) pcommon.Map {
	return traces.ResourceSpans().At(0).Resource().Attributes()
}
