package ddb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Names from OpenTelemetry's semantic conventions 1.43 for database clients.
const (
	metricDuration = "db.client.operation.duration"
	keySystem      = "db.system.name"
	keyOperation   = "db.operation.name"
	keyError       = "error.type"
	systemDynamoDB = "aws.dynamodb"
)

// measured returns middleware that measures each attempt of a call. The call as a whole would not show that it was throttled before it succeeded.
func measured(m metric.Meter) (func(*middleware.Stack) error, error) {
	took, err := m.Float64Histogram(metricDuration, metric.WithUnit("s"), metric.WithDescription("How long attempts of calls to the store took, by operation and error."),
		metric.WithExplicitBucketBoundaries(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10)) //nolint:mnd // those of the conventions
	if err != nil {
		return nil, fmt.Errorf("metric %s: %w", metricDuration, err)
	}
	measure := func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		begun := time.Now()
		out, metadata, err := next.HandleFinalize(ctx, in)
		labels := []attribute.KeyValue{attribute.String(keySystem, systemDynamoDB), attribute.String(keyOperation, middleware.GetOperationName(ctx))}
		if err != nil {
			labels = append(labels, attribute.String(keyError, errorType(err)))
		}
		took.Record(ctx, time.Since(begun).Seconds(), metric.WithAttributes(labels...))
		return out, metadata, err
	}
	return func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("Measure", measure), "Retry", middleware.After)
	}, nil
}

// errorType returns DynamoDB's error code, of which there are few, or a fixed word if there was no response.
func errorType(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	if errors.Is(err, context.Canceled) {
		return "canceled"
	}
	return "unanswered"
}
