package serve_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/consultation/otlp"
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
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if why := invalidFile(t, string(text)); why != "" {
			t.Errorf("%s is not what the schema says: %s", name, why)
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

// collectorConfig is what the tests below look at in the configuration of the collector.
type collectorConfig struct {
	Receivers map[string]struct {
		Protocols map[string]struct {
			Endpoint string
			Metadata bool `yaml:"include_metadata"`
		}
	}
	Processors map[string]struct{ Traces struct{ Span []string } }
	Exporters  map[string]struct {
		Auth  struct{ Authenticator string }
		Queue switchedOn `yaml:"sending_queue"`
		Retry switchedOn `yaml:"retry_on_failure"`
	}
	Service struct {
		Extensions []string
		Pipelines  map[string]struct{ Receivers, Processors, Exporters []string }
	}
}

// switchedOn is a part of an exporter that is used unless the configuration says otherwise.
type switchedOn struct{ Enabled *bool }

func (s switchedOn) off() bool { return s.Enabled != nil && !*s.Enabled }

const toQuorate = "otlp_http/quorate" // the collector's exporter

func readCollector(t *testing.T) (c collectorConfig) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "collector", "collector.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatalf("collector.yaml: %v", err)
	}
	return c
}

// TestTheCollectorIsOnlyAWayForVerdicts holds what a real collector (0.145.0) needs, so that no agent's verdict is lost on its way or comes under another name.
func TestTheCollectorIsOnlyAWayForVerdicts(t *testing.T) {
	t.Parallel()
	c := readCollector(t)
	if e := c.Exporters[toQuorate]; e.Auth.Authenticator != "headers_setter" || !slices.Contains(c.Service.Extensions, "headers_setter") || !e.Queue.off() || !e.Retry.off() {
		t.Errorf("the exporter %s is %+v, want the senders' headers, and no queue that answers before Quorate does", toQuorate, e)
	}
	ways := 0
	for name, pipeline := range c.Service.Pipelines {
		if !slices.Contains(pipeline.Exporters, toQuorate) {
			continue
		}
		ways++
		if !slices.Equal(pipeline.Processors, []string{"filter/verdicts"}) {
			t.Errorf("the pipeline %s has the processors %q, want nothing that holds verdicts back, joins them with others or changes them", name, pipeline.Processors)
		}
		for _, receiver := range pipeline.Receivers {
			for protocol, r := range c.Receivers[receiver].Protocols {
				if !r.Metadata {
					t.Errorf("the receiver %s does not keep the headers that come over %s", receiver, protocol)
				}
			}
		}
	}
	if ways != 1 {
		t.Errorf("%d pipelines end at Quorate, want one", ways)
	}
	if dropped := c.Processors["filter/verdicts"].Traces.Span; !slices.Equal(dropped, []string{`name != "` + otlp.SpanName + `"`}) {
		t.Errorf("filter/verdicts drops what is %q, want all but verdicts", dropped)
	}
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
	collector := readCollector(t)
	var to []string
	for _, pipeline := range collector.Service.Pipelines {
		for _, receiver := range pipeline.Receivers {
			if strings.HasSuffix(collector.Receivers[receiver].Protocols["grpc"].Endpoint, ":"+port) {
				to = append(to, pipeline.Exporters...)
			}
		}
	}
	if len(to) == 0 || slices.Contains(to, toQuorate) {
		t.Errorf("what comes in at port %s goes to %q, want an exporter that is not Quorate", port, to)
	}
}
