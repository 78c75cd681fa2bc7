package rpcserver

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
)

// A caller that nobody knows, for example one without a valid token, can make calls as fast as the network carries them, and its refusals would fill the disk with
// lines of the log. So only some of them get one: as many as an operator can read. Metrics count all.
const (
	strangersAtOnce = 100         // lines
	strangersEvery  = time.Second // one more line
	maxLoggedPath   = 256         // bytes of the path of a request that is refused
)

// strangerLines says which calls of unknown callers get a line in the log.
type strangerLines struct {
	spare    *rate.Limiter
	unlogged atomic.Int64 // calls since the last line
}

func newStrangerLines() *strangerLines {
	return &strangerLines{spare: rate.NewLimiter(rate.Every(strangersEvery), strangersAtOnce)}
}

// next reports whether the next call gets a line, and how many before it got none.
func (l *strangerLines) next() (unlogged int64, ok bool) {
	if !l.spare.Allow() {
		l.unlogged.Add(1)
		return 0, false
	}
	return l.unlogged.Swap(0), true
}

// line returns the attributes of a line about a call, and whether it may be written. Every call of a known caller may have its line, and so may every error of ours.
func (s *Server) line(at slog.Level, caller auth.Principal, attrs ...slog.Attr) (_ []slog.Attr, ok bool) {
	if caller.Name != "" || at != slog.LevelInfo && at != slog.LevelWarn {
		return attrs, true
	}
	unlogged, ok := s.strangers.next()
	if unlogged > 0 {
		attrs = append(attrs, slog.Int64(telemetry.LogUnlogged, unlogged))
	}
	return attrs, ok
}

// tellRefused writes a line about an HTTP request that was refused before it became a call; about is what was asked for.
func (s *Server) tellRefused(ctx context.Context, about slog.Attr, caller auth.Principal, err error) {
	attrs, ok := s.line(slog.LevelWarn, caller, about, slog.String(telemetry.LogPrincipal, caller.Name), slog.String(telemetry.LogReason, fault.ReasonOf(err)),
		slog.Any(telemetry.LogError, err))
	if ok {
		s.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "request refused", attrs...)
	}
}

func pathOf(r *http.Request) slog.Attr {
	return slog.String(telemetry.LogPath, bounded.Text(r.URL.Path, maxLoggedPath))
}
