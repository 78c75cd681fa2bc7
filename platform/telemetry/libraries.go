package telemetry

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"
)

// A collector that refuses what it is sent does so as often as Quorate has work, and gRPC's gateway complains of each odd header that a stranger sends. Either
// would fill the log.
const (
	errorsAtOnce = 10
	errorsEvery  = 10 * time.Second // one more line
)

// libraries is where errors of gRPC are logged; nil before LogErrors.
var libraries atomic.Pointer[library]

// library logs errors of a library, of which only some get a line when there are many.
type library struct {
	*slog.Logger
	lines *Lines
}

func newLibrary(l *slog.Logger) *library { return &library{l, NewLines(errorsAtOnce, errorsEvery)} }

// CaptureGRPC sends the errors that gRPC and its gateway log to the logger of LogErrors, instead of to stderr in a format of their own. Only main may call it,
// before anything else: gRPC requires its logger to be set before it is used.
func CaptureGRPC() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, complaints{}))
}

// complaints receives the lines that gRPC logs as errors. Callers and agents can cause most of them, so they are logged as warnings.
type complaints struct{}

func (complaints) Write(line []byte) (int, error) {
	logger := libraries.Load()
	if logger == nil {
		return os.Stderr.Write(line)
	}
	_, text, found := bytes.Cut(line, []byte("ERROR: ")) // after the time
	if !found {
		text = line
	}
	if missed, ok := logger.lines.Next(); ok {
		logger.Warn("gRPC complains", slog.String(LogError, string(bytes.TrimSpace(text))), slog.GroupAttrs("", missed...))
	}
	return len(line), nil
}

// LogErrors makes logger log the errors that libraries report anywhere in the process: OpenTelemetry and, after CaptureGRPC, gRPC. By default they print them
// to stderr, each in a format of its own. Of many, some get a line.
func LogErrors(logger *slog.Logger) {
	libraries.Store(newLibrary(logger))
	telemetry := newLibrary(logger)
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		if missed, ok := telemetry.lines.Next(); ok {
			telemetry.Warn("telemetry could not be sent", slog.Any(LogError, err), slog.GroupAttrs("", missed...))
		}
	}))
}
