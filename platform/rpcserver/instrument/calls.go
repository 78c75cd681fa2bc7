package instrument

import (
	"context"
	"fmt"
	"net"

	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/semconv/v1.43.0/rpcconv"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/telemetry"
)

// calls records a span and a duration for each call of a method that has a rule, by OpenTelemetry's semantic conventions and as otelgrpc does. Calls
// of unknown methods are not recorded: their names are up to the caller, and gRPC does not report when such a call ends.
type calls struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	kind       []trace.SpanStartOption
	took       metric.Float64Histogram // seconds
	methods    map[string]*method
}

// ServerCalls is the stats.Handler of a server.
type ServerCalls struct{ calls }

// ClientCalls is the stats.Handler of a client whose server is in this process.
type ClientCalls struct{ calls }

// NewServerCalls returns the handler of a server whose methods are those that have a rule.
func NewServerCalls(t *telemetry.Telemetry, rules auth.Rules) (*ServerCalls, error) {
	tracer, meter := instruments(t)
	took, err := rpcconv.NewServerCallDuration(meter, metric.WithExplicitBucketBoundaries(durations...))
	if err != nil {
		return nil, fmt.Errorf("measuring calls: %w", err)
	}
	return &ServerCalls{calls{tracer, t.Propagator, serverSpan, took.Inst(), newMethods(rules, serverFailed)}}, nil
}

// NewClientCalls returns the handler of a client of such a server, which is at the address.
func NewClientCalls(t *telemetry.Telemetry, rules auth.Rules, server net.Addr) (*ClientCalls, error) {
	tracer, meter := instruments(t)
	took, err := rpcconv.NewClientCallDuration(meter, metric.WithExplicitBucketBoundaries(durations...))
	if err != nil {
		return nil, fmt.Errorf("measuring calls: %w", err)
	}
	methods := newMethods(rules, clientFailed, addressAttributes(server)...)
	return &ClientCalls{calls{tracer, t.Propagator, clientSpan, took.Inst(), methods}}, nil
}

// TagRPC begins the span of a call as a child of the span in the call's metadata.
func (h *ServerCalls) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return h.begin(h.propagator.Extract(ctx, incoming{ctx}), info.FullMethodName)
}

// HandleRPC records the end of a call.
func (h *ServerCalls) HandleRPC(ctx context.Context, event stats.RPCStats) {
	switch event := event.(type) {
	case *stats.InHeader:
		if span := trace.SpanFromContext(ctx); span.IsRecording() && event.LocalAddr != nil {
			span.SetAttributes(addressAttributes(event.LocalAddr)...)
		}
	case *stats.End:
		h.end(ctx, event)
	}
}

// TagRPC begins the span of a call and puts it in the call's metadata.
func (h *ClientCalls) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	ctx = h.begin(ctx, info.FullMethodName)
	md, ok := metadata.FromOutgoingContext(ctx)
	if !ok {
		md = metadata.MD{}
	}
	h.propagator.Inject(ctx, outgoing(md))
	return metadata.NewOutgoingContext(ctx, md)
}

// HandleRPC records the end of a call.
func (h *ClientCalls) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if event, ok := event.(*stats.End); ok {
		h.end(ctx, event)
	}
}

// begin returns ctx with the span and the method of a call, which end reads.
func (c *calls) begin(ctx context.Context, name string) context.Context {
	m := c.methods[name]
	if m != nil {
		var span trace.Span
		ctx, span = c.tracer.Start(ctx, m.name, c.kind...) // end ends it
		if span.IsRecording() {
			span.SetAttributes(m.attributes...)
		}
	}
	return context.WithValue(ctx, methodKey{}, m) // even when there is no method: ctx may come from another call
}

func (c *calls) end(ctx context.Context, event *stats.End) {
	m, _ := ctx.Value(methodKey{}).(*method)
	if m == nil {
		return
	}
	outcome := m.outcomeOf(status.Code(event.Error))
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		if outcome.failed {
			span.SetStatus(otelcodes.Error, status.Convert(event.Error).Message())
		}
		span.SetAttributes(outcome.code)
		span.End()
	}
	c.took.Record(ctx, event.EndTime.Sub(event.BeginTime).Seconds(), outcome.options...)
}

// TagConn does nothing; stats.Handler requires it.
func (*calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing; stats.Handler requires it.
func (*calls) HandleConn(context.Context, stats.ConnStats) {}
