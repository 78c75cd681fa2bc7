package telemetry

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"regexp"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"
)

// libraries is the logger for errors of gRPC; nil before LogErrors.
var libraries atomic.Pointer[slog.Logger]

// CaptureGRPC sends the errors that gRPC and its gateway log to the logger of LogErrors, instead of to stderr in a format of their own. Only main may call it,
// before anything else: gRPC requires its logger to be set before it is used.
func CaptureGRPC() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, complaints{}))
}

// complaints receives the lines that gRPC logs as errors. Callers and agents can cause most of them, so they are logged as warnings, and for debugging only
// if a caller has left, as everybody who watches something does in the end.
type complaints struct{}

// callerLeft matches what the gateway says when an answer cannot be written.
var callerLeft = regexp.MustCompile(`^Failed to (send|flush|write|notify) `)

func (complaints) Write(line []byte) (int, error) {
	logger := libraries.Load()
	if logger == nil {
		return os.Stderr.Write(line)
	}
	_, text, found := bytes.Cut(line, []byte("ERROR: ")) // after the time
	if !found {
		text = line
	}
	level := slog.LevelWarn
	if callerLeft.Match(text) {
		level = slog.LevelDebug
	}
	logger.Log(context.Background(), level, "gRPC complains", slog.String(LogError, string(bytes.TrimSpace(text))))
	return len(line), nil
}

// LogErrors makes logger log the errors that libraries report anywhere in the process: OpenTelemetry and, after CaptureGRPC, gRPC. By default they print them
// to stderr, each in a format of its own. Of many, some get a line.
func LogErrors(logger *slog.Logger) {
	libraries.Store(slog.New(Limited(logger.Handler()))) // gRPC's gateway complains of each odd header that a stranger sends
	telemetry := slog.New(Limited(logger.Handler()))     // a collector may refuse what it is sent as often as Quorate has work
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { telemetry.Warn("telemetry could not be sent", slog.Any(LogError, err)) }))
}
