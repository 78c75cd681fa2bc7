package rpcserver

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/telemetry"
)

// A caller that nobody knows, for example one without a valid token, can make calls as fast as the network carries them, and its refusals would fill the disk with
// lines of the log. So only some of them get one: as many as an operator can read. Metrics count all.
const (
	refusalsAtOnce = 100         // lines
	refusalsEvery  = time.Second // one more line
	maxLoggedPath  = 256         // bytes of the path of a request that is refused
)

// line returns the attributes of a line about a call, and whether it may be written. Every call of a known caller may have its line, and so may every error of ours.
func (s *Server) line(at slog.Level, caller auth.Principal, attrs ...slog.Attr) (_ []slog.Attr, ok bool) {
	if caller.Name != "" || at != slog.LevelInfo && at != slog.LevelWarn {
		return attrs, true
	}
	missed, ok := s.refusals.Next()
	return append(attrs, missed...), ok
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
