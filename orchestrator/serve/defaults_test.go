package serve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/serve"
	settings "github.com/quorate/quorate/platform/config"
)

// TestDefaults names every default: who upgrades and has not set it gets another one, which may mean that tasks are removed earlier, or that somebody else reaches
// the server.
func TestDefaults(t *testing.T) {
	t.Parallel()
	defaults := serve.DefaultConfig()
	list, err := settings.Settings(&defaults)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, s := range list {
		if s.Value != "" {
			got[s.Path] = s.Value
		}
	}
	want := map[string]string{
		"agents.allowLoopback": "false", "agents.cardChanges": "allow", "agents.maxExchanges": "16384", "agents.signatures": "verify-if-present", "agents.strict": "false",
		"auth.oidc.nameClaim": "sub", "auth.oidc.rolesClaim": "roles",
		"backup.every": "24h0m0s", "backup.keep": "7",
		"calls.burst": "0", "calls.connections": "16384", "calls.max": "8192", "calls.perSecond": "0",
		"evidence.answerWithin": "15m0s", "evidence.cloudWatchGroup": "aws/spans", "evidence.cloudWatchTimeout": "10s", "evidence.jaegerTimeout": "2s", "evidence.lowest": "C2",
		"grpc.addr": "127.0.0.1:9090", "http.addr": "127.0.0.1:8080",
		"retention.evidence": "0s", "retention.tasks": "720h0m0s",
		"routing.embeddingsTimeout": "150ms",
		"store.kind":                "embedded", "store.lease": "10s",
		"telemetry.logFormat": "json", "telemetry.logLevel": "info", "telemetry.traceRatio": "0",
		"tls.plaintext": "false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DefaultConfig() (-want +got):\n%s", diff)
	}
}
