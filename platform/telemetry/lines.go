package telemetry

import (
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Lines says which events of a kind get a line in the log, where others decide how many of them there are. It is safe for concurrent use.
type Lines struct {
	spare    *rate.Limiter
	unlogged atomic.Int64 // events since the last line
}

// NewLines allows atOnce lines, and one more each time that every has passed.
func NewLines(atOnce int, every time.Duration) *Lines {
	return &Lines{spare: rate.NewLimiter(rate.Every(every), atOnce)}
}

// Next reports whether the next event gets a line, and what that line says of the events before it that got none.
func (l *Lines) Next() (missed []slog.Attr, ok bool) {
	if !l.spare.Allow() {
		l.unlogged.Add(1)
		return nil, false
	}
	if n := l.unlogged.Swap(0); n > 0 {
		missed = []slog.Attr{slog.Int64(LogUnlogged, n)}
	}
	return missed, true
}
