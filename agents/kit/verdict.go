package kit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

// verdictSpan is the name of the span that is evidence.
const verdictSpan = "quorate.consultation.verdict"

const (
	exportTimeout  = 3 * time.Second // one attempt
	maxAnswerBytes = 64 << 10
)

// verdicts records verdicts at Quorate. It calls the exporter directly: a batch processor would export late, lose spans under load, and not report
// that the receiver has refused them.
type verdicts struct {
	agent    Config
	exporter *otlptrace.Exporter
}

func newVerdicts(c Config, web http.RoundTripper) *verdicts {
	return &verdicts{agent: c, exporter: newExporter(c, web)}
}

// newExporter returns an exporter to Quorate's receiver. It sets every option that environment variables could change.
func newExporter(c Config, web http.RoundTripper) *otlptrace.Exporter {
	client := &http.Client{
		Transport:     otlpTransport{web},
		Timeout:       exportTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	headers := map[string]string{}
	if c.Token != "" {
		headers["Authorization"] = "Bearer " + c.Token.Reveal()
	}
	return otlptrace.NewUnstarted(otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(c.Server+"/v1/traces"),
		otlptracehttp.WithEncoding(otlptracehttp.EncodingProtobuf),
		otlptracehttp.WithCompression(otlptracehttp.NoCompression),
		otlptracehttp.WithHeaders(headers),
		otlptracehttp.WithMaxResponseSize(maxAnswerBytes),
		otlptracehttp.WithHTTPClient(client),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}), // record retries itself
	))
}

// record exports the verdict and returns nil only once Quorate has accepted it. Faults: FailedPrecondition with the reason EVIDENCE_REFUSED,
// Unavailable with EVIDENCE_NOT_RECORDED or VERDICT_NOT_SIGNED, InvalidArgument with EXTENSION_INVALID.
func (v *verdicts) record(ctx context.Context, t *Task, outcome Outcome) error {
	span, err := v.span(ctx, t, outcome)
	if err != nil {
		return err
	}
	// Each attempt sends the same span, which the receiver recognizes as a repetition.
	_, err = retry(ctx, requestTimeout, func() (struct{}, error) { return struct{}{}, v.export(ctx, span) })
	return err
}

// export sends the span once.
func (v *verdicts) export(ctx context.Context, span sdktrace.ReadOnlySpan) error {
	err := v.exporter.ExportSpans(ctx, []sdktrace.ReadOnlySpan{span})
	switch {
	case err == nil:
		return nil
	case retryable(err):
		return &fault.Error{Kind: fault.Unavailable, Reason: "EVIDENCE_NOT_RECORDED", Message: "the verdict could not be recorded at Quorate, so it is not given", Cause: err}
	}
	return &fault.Error{
		Kind: fault.FailedPrecondition, Reason: "EVIDENCE_REFUSED", Cause: err,
		Message: "Quorate did not accept the verdict as evidence, so it is not given: " + bounded.Text(printable(err.Error()), MaxFeedbackBytes),
	}
}

// retryable reports whether exporting again may succeed.
func retryable(err error) bool {
	_, unanswered := errors.AsType[*url.Error](err)
	return unanswered && !errors.Is(err, errNoReceiver)
}

var errNoReceiver = errors.New("this is no OTLP receiver")

// span returns the finished verdict span in the consultation's trace.
func (v *verdicts) span(ctx context.Context, t *Task, outcome Outcome) (sdktrace.ReadOnlySpan, error) {
	header, _ := t.Message.Metadata["traceparent"].(string)
	parent := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": header})) //nolint:contextcheck // the minted trace only, never the caller's
	if !parent.IsValid() {
		return nil, fault.Invalid("message.metadata.traceparent", "EXTENSION_INVALID", "the consultation has no valid traceparent")
	}
	var finished spanKeeper
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(identity(v.agent)),
		sdktrace.WithSampler(sdktrace.AlwaysSample()), // a verdict span that is not sampled would block an approved task
		sdktrace.WithSpanProcessor(&finished),
	)
	attributes := []attribute.KeyValue{
		attribute.String("quorate.consultation.id", t.assignment.ConsultationID),
		attribute.String("quorate.consultation.task.id", t.assignment.TaskID),
		attribute.String("quorate.consultation.requirement.id", t.assignment.RequirementID),
		attribute.String("quorate.consultation.phase", t.assignment.Phase),
		attribute.String("quorate.consultation.source.agent", t.assignment.SourceAgent),
		attribute.String("quorate.consultation.target.agent", t.assignment.TargetAgent),
		attribute.String("quorate.consultation.outcome", outcome.Verdict),
		attribute.Int64("quorate.consultation.attempt", t.assignment.Attempt),
		attribute.String("quorate.consultation.subject.digest", t.assignment.SubjectDigest),
		attribute.String("quorate.consultation.feedback", outcome.Feedback),
		attribute.Int("quorate.consultation.schema.version", 1),
	}
	if v.agent.Sign != nil {
		signature, err := v.sign(ctx, t, parent.TraceID().String(), outcome)
		if err != nil {
			return nil, err
		}
		attributes = append(attributes, attribute.String("quorate.consultation.signature", signature))
	}
	_, span := provider.Tracer(scope).Start(trace.ContextWithRemoteSpanContext(ctx, parent), verdictSpan, trace.WithAttributes(attributes...))
	if outcome.Verdict == Failed { // a rejection is not an error of the span
		span.SetStatus(codes.Error, outcome.Feedback)
	}
	span.End()
	return finished.span, nil
}

// sign returns the signature of the outcome. Without it the verdict is not given.
func (v *verdicts) sign(ctx context.Context, t *Task, traceID string, outcome Outcome) (string, error) {
	payload, err := t.assignment.payload(traceID, outcome)
	if err != nil {
		return "", err
	}
	signature, err := v.agent.Sign(ctx, payload)
	if err != nil {
		return "", &fault.Error{Kind: fault.Unavailable, Reason: "VERDICT_NOT_SIGNED", Message: "the verdict could not be signed, so it is not given", Cause: err}
	}
	return signature, nil
}

// spanKeeper is a span processor that keeps the one span that ends.
type spanKeeper struct{ span sdktrace.ReadOnlySpan }

func (*spanKeeper) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (k *spanKeeper) OnEnd(span sdktrace.ReadOnlySpan)              { k.span = span }
func (*spanKeeper) Shutdown(context.Context) error                  { return nil }
func (*spanKeeper) ForceFlush(context.Context) error                { return nil }

// otlpTransport turns some answers into errors: those that the exporter would accept as success without reading them, and those after which a later
// attempt may succeed. Final refusals become readable.
type otlpTransport struct{ next http.RoundTripper }

// RoundTrip returns OTLP answers unchanged.
func (o otlpTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := o.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	kind := answer.Header.Get("Content-Type")
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests || code >= http.StatusInternalServerError:
		err = fmt.Errorf("the receiver answered %s", answer.Status)
	case code == http.StatusOK && kind != "application/x-protobuf":
		err = fmt.Errorf("%w: it answered %.64q", errNoReceiver, kind)
	case code >= http.StatusMultipleChoices && code < http.StatusBadRequest:
		err = fmt.Errorf("%w: it answered %s", errNoReceiver, answer.Status)
	case code >= http.StatusBadRequest && kind == "application/x-protobuf":
		return readable(answer)
	}
	if err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return answer, nil
}

// readable returns answer with the reason and message in its body as text, since the exporter quotes the body as it is.
func readable(answer *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	if refusal := rpcfault.FromBody(body); refusal != nil {
		body = []byte(fault.ReasonOf(refusal) + ": " + refusal.Error())
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}
