package serve_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/orchestrator/serve"
	settings "github.com/quorate/quorate/platform/config"
)

const deploy = "../../deploy"

// TestWhatIsDeployedIsAConfiguration reads the configurations in deploy as serve does: strictly.
func TestWhatIsDeployedIsAConfiguration(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"compose": filepath.Join(deploy, "compose", "quorate.yaml"), "helm": chartConfig(t)} {
		c := serve.DefaultConfig()
		if _, err := settings.Load(&c, settings.Options{File: file, Environ: []string{}}); err != nil {
			t.Errorf("Load(%s) = %v, want no error", name, err)
		}
		if c.Store.Kind != "dynamodb" {
			t.Errorf("%s has a store of kind %q, want dynamodb: it has replicas", name, c.Store.Kind)
		}
	}
}

// chartConfig writes what the chart puts into the replicas' configuration into a file.
func chartConfig(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "helm", "quorate", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values struct{ Config map[string]any }
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatalf("values.yaml: %v", err)
	}
	encoded, err := yaml.Marshal(values.Config)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(t.TempDir(), "quorate.yaml"), string(encoded))
}

// TestOurOwnSpansDoNotComeBack follows the replicas' spans through the collector: brought back, each would be refused, and make a span of that.
func TestOurOwnSpansDoNotComeBack(t *testing.T) {
	t.Parallel()
	c := serve.DefaultConfig()
	if _, err := settings.Load(&c, settings.Options{File: filepath.Join(deploy, "compose", "quorate.yaml"), Environ: []string{}}); err != nil {
		t.Fatalf("Load() = %v, want no error", err)
	}
	_, port, ok := strings.Cut(c.Telemetry.OTLPEndpoint, "http://collector:")
	if !ok {
		t.Fatalf("the spans go to %q, want the collector", c.Telemetry.OTLPEndpoint)
	}
	text, err := os.ReadFile(filepath.Join(deploy, "collector", "collector.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var collector struct {
		Receivers map[string]struct {
			Protocols map[string]struct{ Endpoint string }
		}
		Service struct {
			Pipelines map[string]struct{ Receivers, Exporters []string }
		}
	}
	if err := yaml.Unmarshal(text, &collector); err != nil {
		t.Fatalf("collector.yaml: %v", err)
	}
	var to []string
	for _, pipeline := range collector.Service.Pipelines {
		for _, receiver := range pipeline.Receivers {
			if strings.HasSuffix(collector.Receivers[receiver].Protocols["grpc"].Endpoint, ":"+port) {
				to = append(to, pipeline.Exporters...)
			}
		}
	}
	if len(to) == 0 || slices.Contains(to, "otlphttp/quorate") {
		t.Errorf("what comes in at port %s goes to %q, want an exporter that is not Quorate", port, to)
	}
}
