package rpcserver

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

// calls makes a span and a measurement of each call of a method that has a rule, as the semantic conventions of OpenTelemetry say, and as otelgrpc would.
// The server knows no other method: their names are anybody's, and gRPC does not tell the end of their calls.
type calls struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	kind       []trace.SpanStartOption
	took       metric.Float64Histogram // seconds
	methods    map[string]*method
}

// answered is the stats.Handler of a server.
type answered struct{ calls }

// made is the stats.Handler of a client of a server of this process.
type made struct{ calls }

func newAnswered(t *telemetry.Telemetry, rules auth.Rules) (*answered, error) {
	tracer, meter := instruments(t)
	took, err := rpcconv.NewServerCallDuration(meter, metric.WithExplicitBucketBoundaries(durations...))
	if err != nil {
		return nil, fmt.Errorf("measuring calls: %w", err)
	}
	return &answered{calls{tracer, t.Propagator, serverSpan, took.Inst(), newMethods(rules, serverFailed)}}, nil
}

func newMade(t *telemetry.Telemetry, rules auth.Rules, server net.Addr) (*made, error) {
	tracer, meter := instruments(t)
	took, err := rpcconv.NewClientCallDuration(meter, metric.WithExplicitBucketBoundaries(durations...))
	if err != nil {
		return nil, fmt.Errorf("measuring calls: %w", err)
	}
	methods := newMethods(rules, clientFailed, addressAttributes(server)...)
	return &made{calls{tracer, t.Propagator, clientSpan, took.Inst(), methods}}, nil
}

// TagRPC begins the span of a call, below the one that its metadata names.
func (h *answered) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return h.begin(h.propagator.Extract(ctx, incoming{ctx}), info.FullMethodName)
}

// HandleRPC learns of what happens to a call.
func (h *answered) HandleRPC(ctx context.Context, event stats.RPCStats) {
	switch event := event.(type) {
	case *stats.InHeader:
		if span := trace.SpanFromContext(ctx); span.IsRecording() && event.LocalAddr != nil {
			span.SetAttributes(addressAttributes(event.LocalAddr)...)
		}
	case *stats.End:
		h.end(ctx, event)
	}
}

// TagRPC begins the span of a call and names it in the metadata.
func (h *made) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	ctx = h.begin(ctx, info.FullMethodName)
	md, ok := metadata.FromOutgoingContext(ctx)
	if !ok {
		md = metadata.MD{}
	}
	h.propagator.Inject(ctx, outgoing(md))
	return metadata.NewOutgoingContext(ctx, md)
}

// HandleRPC learns of what happens to a call.
func (h *made) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if event, ok := event.(*stats.End); ok {
		h.end(ctx, event)
	}
}

// begin returns ctx with the span and the method of a call, for end.
func (c *calls) begin(ctx context.Context, name string) context.Context {
	m := c.methods[name]
	if m != nil {
		var span trace.Span
		ctx, span = c.tracer.Start(ctx, m.name, c.kind...) // end ends it
		if span.IsRecording() {
			span.SetAttributes(m.attributes...)
		}
	}
	return context.WithValue(ctx, methodKey{}, m) // without a method, too: ctx may be that of another call
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

// TagConn is part of stats.Handler.
func (*calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn is part of stats.Handler.
func (*calls) HandleConn(context.Context, stats.ConnStats) {}
