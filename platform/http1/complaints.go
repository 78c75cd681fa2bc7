package http1

import (
	"context"
	"log/slog"
	"time"

	"github.com/quorate/quorate/platform/telemetry"
)

const (
	complaintsAtOnce = 10
	complaintsEvery  = 10 * time.Second // one more line
)

// complaints is the log of net/http, of which only some lines are written when there are many: it has one for each TLS handshake that fails, and strangers can
// fail as often as they like.
type complaints struct {
	slog.Handler
	lines *telemetry.Lines
}

func newComplaints(to slog.Handler) complaints {
	return complaints{to, telemetry.NewLines(complaintsAtOnce, complaintsEvery)}
}

// Handle writes a line, unless there are too many.
func (c complaints) Handle(ctx context.Context, line slog.Record) error {
	missed, ok := c.lines.Next()
	if !ok {
		return nil
	}
	line.AddAttrs(missed...)
	return c.Handler.Handle(ctx, line)
}
