// Package jaegertest gives tests a real Jaeger with a store in memory: .bin/jaeger, or the binary at QUORATE_TEST_JAEGER. Without either a test is skipped,
// and with QUORATE_CI it fails.
package jaegertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/proctest"
)

const (
	startTries = 5
	visible    = time.Minute // after which a span has failed to appear; many take long on a busy machine
	pollPause  = 5 * time.Millisecond
)

// Jaeger is one that runs until its test ends.
type Jaeger struct {
	Query *url.URL // of the query API
	otlp  string   // URL of the receiver
}

// Start starts a Jaeger, or skips the test.
func Start(tb testing.TB) *Jaeger {
	tb.Helper()
	binary, err := proctest.Binary("jaeger", "QUORATE_TEST_JAEGER")
	if err != nil {
		if config.Env("QUORATE_CI") != "" {
			tb.Fatalf("no Jaeger to test with: %v", err)
		}
		tb.Skipf("no Jaeger to test with: %v", err)
	}
	for range startTries { // somebody else may take a port that was free
		var j *Jaeger
		if j, err = start(tb, binary); err == nil {
			return j
		}
	}
	tb.Fatalf("starting %s = %v, want no error", binary, err)
	return nil
}

// settings has no batch processor, so that a span can be seen at once.
const settings = `
service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines: {traces: {receivers: [otlp], exporters: [jaeger_storage_exporter]}}
  telemetry: {metrics: {level: none}, logs: {level: warn}}
extensions:
  jaeger_query: {storage: {traces: mem}, http: {endpoint: "%s"}, grpc: {endpoint: "%s"}}
  jaeger_storage: {backends: {mem: {memory: {max_traces: 10000}}}}
receivers: {otlp: {protocols: {http: {endpoint: "%s", max_request_body_size: 268435456}}}}
exporters: {jaeger_storage_exporter: {trace_storage: mem}}
`

func start(tb testing.TB, binary string) (*Jaeger, error) {
	tb.Helper()
	var addresses [3]string
	for i := range addresses {
		address, err := proctest.FreeAddress(tb.Context())
		if err != nil {
			return nil, err
		}
		addresses[i] = address
	}
	file := filepath.Join(tb.TempDir(), "jaeger.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, settings, addresses[0], addresses[1], addresses[2]), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, "--config", "file:"+file)             //nolint:gosec,noctx // the tests' own binary, which Stop ends
	cmd.Env = append(cmd.Environ(), "OTEL_TRACES_SAMPLER=always_off") // it would trace itself
	p, err := proctest.Start(cmd, addresses[0], addresses[2])
	if err != nil {
		return nil, err
	}
	tb.Cleanup(p.Stop)
	return &Jaeger{Query: &url.URL{Scheme: "http", Host: addresses[0]}, otlp: "http://" + addresses[2] + "/v1/traces"}, nil
}

// Export sends traces as anybody may, and waits until Jaeger shows their last span.
func (j *Jaeger) Export(tb testing.TB, traces ptrace.Traces) {
	tb.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	if err != nil {
		tb.Fatalf("MarshalProto() = %v, want no error", err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), visible)
	defer cancel()
	if status, answer := j.call(ctx, tb, http.MethodPost, j.otlp, body); status != http.StatusOK {
		tb.Fatalf("exporting to Jaeger = %d %s, want 200", status, answer)
	}
	rs := traces.ResourceSpans().At(traces.ResourceSpans().Len() - 1)
	spans := rs.ScopeSpans().At(rs.ScopeSpans().Len() - 1).Spans()
	last := spans.At(spans.Len() - 1)
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	// Not raw, Jaeger would sort the attributes of what it has in memory, and leave out what occurs twice.
	u := j.Query.JoinPath("api", "v3", "traces", last.TraceID().String()).String() + "?raw_traces=true"
	for {
		if _, answer := j.call(ctx, tb, http.MethodGet, u, nil); strings.Contains(answer, last.SpanID().String()) {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			tb.Fatalf("Jaeger does not show span %s within %s", last.SpanID(), visible)
		}
	}
}

func (j *Jaeger) call(ctx context.Context, tb testing.TB, method, target string, body []byte) (status int, answer string) {
	tb.Helper()
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		tb.Fatalf("NewRequest() = %v, want no error", err)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := new(http.Client).Do(request)
	if err != nil {
		tb.Fatalf("%s %s = %v, want no error", method, target, err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		tb.Fatalf("%s %s = %v, want no error", method, target, err)
	}
	return response.StatusCode, string(content)
}
