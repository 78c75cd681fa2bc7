package telemetry

import (
	"context"
	"log/slog"
	"time"
)

const (
	complaintsAtOnce = 10
	complaintsEvery  = 10 * time.Second // one more line
)

// Limited returns a handler that passes on to another what a library complains of. Strangers and other servers decide how often it does, and would fill the
// log: of many complaints ten get a line at once and one more every ten seconds, which says how many got none.
func Limited(to slog.Handler) slog.Handler {
	return limited{to, NewLines(complaintsAtOnce, complaintsEvery)}
}

type limited struct {
	slog.Handler
	lines *Lines
}

// Handle writes a line, unless there are too many.
func (l limited) Handle(ctx context.Context, line slog.Record) error {
	missed, ok := l.lines.Next()
	if !ok {
		return nil
	}
	line.AddAttrs(missed...)
	return l.Handler.Handle(ctx, line)
}

// WithAttrs returns a handler under the same limit.
func (l limited) WithAttrs(list []slog.Attr) slog.Handler {
	return limited{l.Handler.WithAttrs(list), l.lines}
}

// WithGroup returns a handler under the same limit.
func (l limited) WithGroup(name string) slog.Handler {
	return limited{l.Handler.WithGroup(name), l.lines}
}
