package kit_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
)

// What orchestrator.MessageDigest makes of the texts that are reviewed here.
const (
	textDigest = "sha256:70cd09edc9f209364c5f937371b92e53484df4c65db13585dfdffe681ab97244" // text
	twoDigest  = "sha256:d8777ebc0397786963684550cc753f277de77c1bbab1b07e8cfe6d1f2f52eaf7" // first, second
)

// question is a consultation as Quorate carries it.
func question(digest string, texts ...string) *a2a.Message {
	message := say("Please review.")
	for _, text := range texts {
		message.Parts = append(message.Parts, a2a.NewTextPart(text))
	}
	message.Metadata = map[string]any{
		"traceparent": "00-" + traceID + "-" + spanID + "-01",
		kit.ConsultationExtension: map[string]any{
			"consultationId": "c1", "taskId": "t1", "requirementId": "r1", "phase": "pre-completion", "mandatory": true,
			"sourceAgent": "writer", "targetAgent": "reviewer", "attempt": 2, "subjectDigest": digest,
			"expireTime": "2026-11-20T10:00:00Z",
		},
	}
	return message
}

func reviewer(q *quorate, review kit.Reviewer) kit.Config {
	return kit.Config{Name: "reviewer", Handler: echo, Reviewer: review, Server: q.URL, Token: token}
}

func TestAVerdictIsRecordedInATraceThatIsNotSampled(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	agent, stop := start(t, reviewer(q, approve))
	message := question(textDigest, "text")
	message.Metadata["traceparent"] = "00-" + traceID + "-" + spanID + "-00"
	task := send(t, client(t, agent, bindings[0]), message)
	if err := stop(); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	if task.Status.State != a2a.TaskStateCompleted || len(q.verdicts) != 1 || q.verdicts[0].span.TraceID().String() != traceID {
		t.Errorf("SendMessage(consultation) = %s with %d verdicts on record, want it COMPLETED with one in trace %s", task.Status.State, len(q.verdicts), traceID)
	}
}

func approve(context.Context, kit.Review) (kit.Outcome, error) {
	return kit.Outcome{Verdict: kit.Approved, Feedback: "fine"}, nil
}

func TestTheServersURLMayEndWithASlash(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	c := reviewer(q, approve)
	c.Server += "/"
	agent, _ := start(t, c)
	if task := send(t, client(t, agent, bindings[0]), question(textDigest, "text")); task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("SendMessage(consultation) = %s %q, want it COMPLETED", task.Status.State, statusText(task))
	}
}

func TestAVerdictIsOnRecordBeforeItIsGiven(t *testing.T) {
	t.Parallel()
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			var got kit.Review
			agent, stop := start(t, reviewer(q, func(_ context.Context, r kit.Review) (kit.Outcome, error) {
				got = r
				return kit.Outcome{Verdict: kit.Rejected, Feedback: "line 1 holds a secret"}, nil
			}))
			task := send(t, client(t, agent, binding), question(twoDigest, "first", "second"))
			if task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 || task.Artifacts[0].Parts[0].Text() != "rejected: line 1 holds a secret" {
				t.Errorf("SendMessage(consultation) = %s %v, want COMPLETED with the verdict", task.Status.State, task.Artifacts)
			}
			if got.Text != "first\nsecond" || len(got.Parts) != 2 || got.ConsultationID != "c1" || got.SourceAgent != "writer" || got.SubjectDigest != twoDigest {
				t.Errorf("the reviewer got %+v, want the subject of consultation c1", got)
			}
			if err := stop(); err != nil {
				t.Fatalf("Run() = %v, want nil", err)
			}
			if len(q.verdicts) != 1 {
				t.Fatalf("Quorate got %d verdicts, want 1", len(q.verdicts))
			}
			checkRejection(t, q.verdicts[0])
		})
	}
}

// checkRejection compares the verdict on question with what evidence has to hold.
func checkRejection(t *testing.T, v verdict) {
	t.Helper()
	if v.service != "reviewer" || v.span.TraceID().String() != traceID || v.span.ParentSpanID().String() != spanID || v.span.SpanID().String() == spanID {
		t.Errorf("verdict of %s in trace %s below %s, want reviewer, %s, %s", v.service, v.span.TraceID(), v.span.ParentSpanID(), traceID, spanID)
	}
	want := map[string]any{
		"quorate.consultation.id": "c1", "quorate.consultation.task.id": "t1", "quorate.consultation.requirement.id": "r1",
		"quorate.consultation.phase": "pre-completion", "quorate.consultation.source.agent": "writer", "quorate.consultation.target.agent": "reviewer",
		"quorate.consultation.outcome": "rejected", "quorate.consultation.attempt": int64(2), "quorate.consultation.subject.digest": twoDigest,
		"quorate.consultation.feedback": "line 1 holds a secret", "quorate.consultation.schema.version": int64(1),
	}
	if diff := cmp.Diff(want, v.span.Attributes().AsRaw()); diff != "" {
		t.Errorf("verdict attributes differ (-want +got):\n%s", diff)
	}
}

func TestNoVerdictIsGivenThatQuorateDidNotAccept(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		traces func(n int, w http.ResponseWriter) bool
		want   string
	}{
		"a partial success": {func(_ int, w http.ResponseWriter) bool {
			response := ptraceotlp.NewExportResponse()
			response.PartialSuccess().SetRejectedSpans(1)
			response.PartialSuccess().SetErrorMessage("EVIDENCE_EXPIRED")
			answer(w, response)
			return true
		}, "EVIDENCE_REFUSED: "},
		"a refusal":              {func(_ int, w http.ResponseWriter) bool { http.Error(w, "no", http.StatusForbidden); return true }, "EVIDENCE_REFUSED: "},
		"a page instead of OTLP": {func(_ int, w http.ResponseWriter) bool { _, _ = w.Write([]byte("<html>")); return true }, "EVIDENCE_REFUSED: "},
		"a redirect somewhere else": {func(_ int, w http.ResponseWriter) bool {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return true
		}, "EVIDENCE_REFUSED: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			q.traces = test.traces
			agent, _ := start(t, reviewer(q, approve))
			task := send(t, client(t, agent, a2a.TransportProtocolGRPC), question(textDigest, "text"))
			if task.Status.State != a2a.TaskStateFailed || len(task.Artifacts) != 0 || !strings.HasPrefix(statusText(task), test.want) {
				t.Errorf("SendMessage(consultation) = %s %q with %d artifacts, want FAILED %q with none", task.Status.State, statusText(task), len(task.Artifacts), test.want)
			}
		})
	}
}

func TestAReaderOfTheErrorSeesWhyTheReceiverRefuses(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	q.traces = func(_ int, w http.ResponseWriter) bool {
		body, err := proto.Marshal(rpcfault.Status(fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the token is not valid")).Proto())
		if err != nil {
			t.Errorf("Marshal(status) = %v, want nil", err)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write(body) // the exporter reports a broken answer
		return true
	}
	agent, _ := start(t, reviewer(q, approve))
	task := send(t, client(t, agent, a2a.TransportProtocolGRPC), question(textDigest, "text"))
	if text, want := statusText(task), "401 Unauthorized (body: TOKEN_INVALID: the token is not valid)"; !strings.HasSuffix(text, want) {
		t.Errorf("SendMessage(consultation) = %q, want it to end with %q", text, want)
	}
}

func TestAVerdictIsSentAgainWhileTheReceiverIsOverloaded(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	q.traces = func(n int, w http.ResponseWriter) bool {
		if n < 3 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
		return n < 3
	}
	agent, _ := start(t, reviewer(q, approve))
	task := send(t, client(t, agent, a2a.TransportProtocolGRPC), question(textDigest, "text"))
	if task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("SendMessage(consultation) = %s %q, want COMPLETED", task.Status.State, statusText(task))
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.exports != 3 || len(q.verdicts) != 1 {
		t.Errorf("the verdict was sent %d times and is recorded %d times, want 3 and 1", q.exports, len(q.verdicts))
	}
}

func TestEveryReviewHasAnOutcome(t *testing.T) {
	t.Parallel()
	outcome := func(o kit.Outcome, err error) kit.Reviewer {
		return func(context.Context, kit.Review) (kit.Outcome, error) { return o, err }
	}
	tests := map[string]struct {
		review kit.Reviewer
		want   string
	}{
		"an approval":                {approve, "approved: fine"},
		"an outcome without words":   {outcome(kit.Outcome{Verdict: kit.Deferred}, nil), "deferred"},
		"no reviewer":                {nil, "error: this agent does not review"},
		"an error":                   {outcome(kit.Outcome{}, errors.New("hunter2")), "error: the reviewer met an internal error"},
		"a panic":                    {func(context.Context, kit.Review) (kit.Outcome, error) { panic("hunter2") }, "error: the reviewer met an internal error"},
		"a fault":                    {outcome(kit.Outcome{}, fault.New(fault.Unavailable, "BUSY", "ask later")), "error: ask later"},
		"an unknown verdict":         {outcome(kit.Outcome{Verdict: "maybe"}, nil), "error: the reviewer gave no verdict that counts"},
		"feedback that is too long":  {outcome(kit.Outcome{Verdict: kit.Approved, Feedback: strings.Repeat("é", 600)}, nil), "approved: " + strings.Repeat("é", 507) + "… (cut)"},
		"feedback that is not UTF-8": {outcome(kit.Outcome{Verdict: kit.Approved, Feedback: "\xff"}, nil), "approved: \uFFFD"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			agent, _ := start(t, reviewer(q, test.review))
			task := send(t, client(t, agent, a2a.TransportProtocolJSONRPC), question(textDigest, "text"))
			if len(task.Artifacts) != 1 || task.Artifacts[0].Parts[0].Text() != test.want {
				t.Errorf("SendMessage(consultation) = %s %v, want artifact %q", task.Status.State, task.Artifacts, test.want)
			}
		})
	}
}

func TestAConsultationThatCannotCountFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(m *a2a.Message)
		want  string
	}{
		"for another agent": {func(m *a2a.Message) {
			m.Metadata[kit.ConsultationExtension].(map[string]any)["targetAgent"] = "somebody"
		}, "NOT_THE_TARGET: "},
		"without a trace":       {func(m *a2a.Message) { delete(m.Metadata, "traceparent") }, "EXTENSION_INVALID: "},
		"metadata of odd types": {func(m *a2a.Message) { m.Metadata[kit.ConsultationExtension] = []any{1} }, "EXTENSION_INVALID: "},
	}
	q := newQuorate(t)
	agent, _ := start(t, reviewer(q, approve))
	c := client(t, agent, a2a.TransportProtocolGRPC)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			message := question(textDigest, "text")
			test.spoil(message)
			task := send(t, c, message)
			if task.Status.State != a2a.TaskStateFailed || !strings.HasPrefix(statusText(task), test.want) {
				t.Errorf("SendMessage(consultation) = %s %q, want FAILED %q", task.Status.State, statusText(task), test.want)
			}
		})
	}
}
