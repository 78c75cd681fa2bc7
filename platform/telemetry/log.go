package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/fault"
)

func newLogger(c Config) (*slog.Logger, error) {
	var level slog.Level
	if c.LogLevel != "" {
		if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
			return nil, fault.Invalid("logLevel", "CONFIG_INVALID", "log level %q is not debug, info, warn or error", c.LogLevel)
		}
	}
	w := c.LogWriter
	if w == nil {
		w = io.Discard
	}
	options := &slog.HandlerOptions{Level: level}
	switch c.LogFormat {
	case "", "json":
		return slog.New(traceHandler{slog.NewJSONHandler(w, options)}), nil
	case "text":
		return slog.New(traceHandler{slog.NewTextHandler(w, options)}), nil
	}
	return nil, fault.Invalid("logFormat", "CONFIG_INVALID", "log format %q is not json or text", c.LogFormat)
}

// traceHandler adds the ids of the span in the context, so that a log line leads to its trace.
type traceHandler struct{ slog.Handler }

// Handle adds the ids and passes the record on.
func (h traceHandler) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		record.AddAttrs(slog.String(LogTraceID, span.TraceID().String()), slog.String(LogSpanID, span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps the wrapper around the new handler.
func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the wrapper around the new handler.
func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
