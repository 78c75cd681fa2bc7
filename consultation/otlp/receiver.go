package otlp

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

const (
	maxReasons = 5           // in one answer, and in the log for one request
	maxLogged  = 128         // bytes of what the sender wrote
	retryAfter = time.Second // after the store failed
)

// Rules returns who may send traces. Admins and dispatchers may, so that their spans cause no errors, but only verdicts of agents count.
func Rules() auth.Rules {
	return auth.Rules{exportMethod: {Roles: []auth.Role{auth.RoleAgent, auth.RoleAdmin, auth.RoleDispatcher}}}
}

// Receiver receives trace requests and records the verdicts in them. It is safe for concurrent use.
type Receiver struct {
	ledger *consultation.Ledger
	logger *slog.Logger
	spans  metric.Int64Counter
}

// Options are the telemetry of a receiver. The zero value has none.
type Options struct {
	Logger *slog.Logger
	Meter  metric.Meter
}

// New returns a receiver that records in ledger. An error is about creating the metric.
func New(ledger *consultation.Ledger, o Options) (*Receiver, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Meter == nil {
		o.Meter = noop.Meter{}
	}
	spans, err := o.Meter.Int64Counter(metricSpans, metric.WithDescription("Spans received, by what became of them and why they were refused."))
	if err != nil {
		return nil, fmt.Errorf("metric %s: %w", metricSpans, err)
	}
	return &Receiver{ledger: ledger, logger: o.Logger, spans: spans}, nil
}

// admit returns the caller if it may send traces.
func admit(ctx context.Context) (auth.Principal, error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return p, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	return p, Rules()[exportMethod].Allow(p)
}

// decode returns the traces of a request body, or an InvalidArgument fault with the reason TRACES_INVALID.
func decode(body []byte, asJSON bool) (traces ptrace.Traces, err error) {
	check := checkProto
	req := ptraceotlp.NewExportRequest()
	unmarshal := req.UnmarshalProto
	if asJSON {
		check, unmarshal = checkJSON, req.UnmarshalJSON
	}
	if err := check(body); err != nil {
		return traces, invalid(err)
	}
	if err := unmarshal(body); err != nil {
		refused := invalid(errMalformed)
		refused.Cause = err // the text may repeat the body
		return traces, refused
	}
	if err := within(req.Traces().SpanCount(), maxSpans, "spans"); err != nil {
		return traces, invalid(err)
	}
	verdicts := 0
	for range verdictSpans(req.Traces()) {
		verdicts++
	}
	if err := within(verdicts, maxVerdicts, "verdicts"); err != nil {
		return traces, invalid(err)
	}
	return req.Traces(), nil
}

func invalid(err error) *fault.Error {
	return fault.New(fault.InvalidArgument, "TRACES_INVALID", "%w", err)
}

// result counts what became of the verdicts of one request.
type result struct {
	recorded, refused int
	reasons           []string // why spans were refused; only the first few
}

// receive records the verdicts in traces. Its error is about the request as a whole.
func (r *Receiver) receive(ctx context.Context, p auth.Principal, traces ptrace.Traces) (ptraceotlp.ExportResponse, error) {
	recorder := consultation.Recorder{Tenant: p.Tenant}
	if p.Is(auth.RoleAgent) {
		recorder.Agent = p.Name
	}
	var res result
	claims := VerdictsIn(traces)
	consultation.MostRestrictiveFirst(claims)
	for _, cl := range claims {
		err := r.ledger.Record(ctx, recorder, cl)
		if err != nil && !consultation.IsRefusal(err) {
			return ptraceotlp.NewExportResponse(), &fault.Error{
				Kind: fault.Unavailable, Reason: "STORE_UNAVAILABLE", RetryAfter: retryAfter, Cause: err, Ours: true,
				Message: "the verdicts could not be kept; send the request again",
			}
		}
		res.add(cl, err)
		if err != nil {
			r.refused(ctx, p, cl, err, res.refused)
		}
	}
	ignored := traces.SpanCount() - res.recorded - res.refused
	if res.refused > maxReasons {
		r.logger.WarnContext(ctx, "consultation verdicts refused", slog.String("tenant", p.Tenant), slog.String("sender", p.Name), slog.Int("refused", res.refused))
	}
	r.count(ctx, res.recorded, "recorded", "")
	r.count(ctx, ignored, "ignored", "")
	r.logger.DebugContext(ctx, "spans received", slog.String("sender", p.Name), slog.Int("recorded", res.recorded),
		slog.Int("refused", res.refused), slog.Int("ignored", ignored))
	return res.response(), nil
}

// refused counts a refused span. It logs it if its number among those of the request is small: a hostile agent must not fill the log.
func (r *Receiver) refused(ctx context.Context, p auth.Principal, cl consultation.Claim, err error, number int) {
	r.count(ctx, 1, "refused", fault.ReasonOf(err))
	if number > maxReasons {
		return
	}
	e := fault.From(err)
	r.logger.WarnContext(ctx, "consultation verdict refused", slog.String("tenant", p.Tenant), slog.String("sender", p.Name),
		slog.String("consultation_id", bounded.Text(cl.ConsultationID, maxLogged)), slog.String("verdict_span_id", cl.SpanID), // span_id is that of the request
		slog.String("reason", e.Reason), slog.String("error", e.Message))
}

// count counts spans by decision and, for refused ones, by reason, which is one of package consultation.
func (r *Receiver) count(ctx context.Context, spans int, decision, reason string) {
	if spans > 0 {
		r.spans.Add(ctx, int64(spans), metric.WithAttributes(attribute.String("decision", decision), attribute.String("reason", reason)))
	}
}

func (r *result) add(cl consultation.Claim, err error) {
	if err == nil {
		r.recorded++
		return
	}
	r.refused++
	if len(r.reasons) < maxReasons {
		e := fault.From(err)
		r.reasons = append(r.reasons, "span "+cl.SpanID+": "+e.Reason+": "+e.Message)
	}
}

func (r *result) response() ptraceotlp.ExportResponse {
	resp := ptraceotlp.NewExportResponse()
	if r.refused > 0 {
		resp.PartialSuccess().SetRejectedSpans(int64(r.refused))
		resp.PartialSuccess().SetErrorMessage(strings.Join(r.reasons, "; "))
	}
	return resp
}
