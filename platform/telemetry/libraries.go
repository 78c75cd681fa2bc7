package telemetry

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"
)

// libraries is the logger of what libraries complain about; nil before LogErrors.
var libraries atomic.Pointer[slog.Logger]

// CaptureGRPC has what gRPC and its gateway complain about come to LogErrors instead of stderr, in a form of its own. Only main may call it, first of all:
// gRPC wants to know before it does anything.
func CaptureGRPC() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, complaints{}))
}

// complaints takes what gRPC logs as errors, a line at a time. Callers and agents can bring most of them about, so they are warnings.
type complaints struct{}

func (complaints) Write(line []byte) (int, error) {
	logger := libraries.Load()
	if logger == nil {
		return os.Stderr.Write(line)
	}
	_, text, found := bytes.Cut(line, []byte("ERROR: ")) // behind the time
	if !found {
		text = line
	}
	logger.Warn("gRPC complains", slog.String(LogError, string(bytes.TrimSpace(text))))
	return len(line), nil
}

// LogErrors has what libraries complain about, in the whole process, logged by logger: OpenTelemetry, and gRPC after CaptureGRPC. Of themselves they print it
// to stderr, each in a form of its own.
func LogErrors(logger *slog.Logger) {
	libraries.Store(logger)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("telemetry could not be sent", slog.Any(LogError, err))
	}))
}
