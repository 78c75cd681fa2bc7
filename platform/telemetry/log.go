package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

const (
	formatJSON = "json"
	formatText = "text"
)

// level returns the log level, info by default.
func (c *Config) level() (level slog.Level, err error) {
	if c.LogLevel != "" && level.UnmarshalText([]byte(c.LogLevel)) != nil {
		err = fault.Invalid("logLevel", "CONFIG_INVALID", "log level %q is not debug, info, warn or error", c.LogLevel)
	}
	return level, err
}

// logger returns a logger for a valid c.
func (c *Config) logger() *slog.Logger {
	w := c.LogWriter
	if w == nil {
		w = io.Discard
	}
	level, _ := c.level()
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: shorten}
	if c.LogFormat == formatText {
		return slog.New(traceHandler{slog.NewTextHandler(w, options)})
	}
	return slog.New(traceHandler{slog.NewJSONHandler(w, options)})
}

// maxLogged is how many bytes of a text or an error are logged: callers can make an error as long as their request.
const maxLogged = 32 << 10

// shorten cuts longer texts and errors, with a note that they are cut. If an Error method panics, as that of a nil pointer does, it leaves the value to slog,
// which prints the panic.
func shorten(_ []string, a slog.Attr) (short slog.Attr) {
	short = a
	defer func() { _ = recover() }()
	text := ""
	switch a.Value.Kind() { //nolint:exhaustive // the others are short
	case slog.KindString:
		text = a.Value.String()
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			text = err.Error()
		}
	}
	if len(text) > maxLogged {
		short.Value = slog.StringValue(bounded.Text(text, maxLogged))
	}
	return short
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
