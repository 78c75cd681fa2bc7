package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
)

// What a process did last is what one looks for after it has ended.
func TestTheLastSpansAreSentBeforeItEnds(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	spans := new(collector)
	c.Telemetry = serve.Telemetry{LogLevel: "info", LogFormat: "json", OTLPEndpoint: spans.start(t), TraceRatio: 1}
	p := start(t, c)
	if code, body := call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/agents", admin, ""); code != http.StatusOK {
		t.Errorf("GET /v1/agents = %d %s, want 200", code, body)
	}
	if err := p.stop(); err != nil {
		t.Errorf("Run() = %v, want no error", err)
	}
	if !strings.Contains(spans.String(), "RegistryService/ListAgents") {
		t.Errorf("the collector was sent %q, want the span of the last call", spans)
	}
}
