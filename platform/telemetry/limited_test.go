package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/telemetry"
)

func TestALimitIsOfALoggerAndAllThatAreMadeFromIt(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(telemetry.Limited(slog.NewTextHandler(&log, nil)))
	for range 20 {
		logger.Warn("it went wrong")
		logger.With(slog.String("host", "a")).Warn("it went wrong")
		logger.WithGroup("b").Warn("it went wrong", slog.String("host", "c"))
	}
	if n := strings.Count(log.String(), "it went wrong"); n != 10 {
		t.Errorf("the log has %d lines of 60, want 10:\n%s", n, &log)
	}
	if got := log.String(); !strings.Contains(got, "host=a") || !strings.Contains(got, "b.host=c") {
		t.Errorf("the log is %q, want its lines with their attributes", got)
	}
}
