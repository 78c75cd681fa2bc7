package serve_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/serve"
)

// TestSettingsGoAsFarAsTheySay tries the lowest and the highest value that the description of each setting names, and what is just beyond them.
func TestSettingsGoAsFarAsTheySay(t *testing.T) {
	t.Parallel()
	const million, second = 1_000_000, float64(time.Second) // of time.Duration
	for setting, test := range map[string]struct {
		set             func(c *serve.Config, value float64)
		low, high, step float64 // high is 0 for no limit
	}{
		"calls.max":         {func(c *serve.Config, v float64) { c.Calls.Max = int(v) }, 16, million, 1},
		"calls.connections": {func(c *serve.Config, v float64) { c.Calls.Connections = int(v) }, 16, million, 1},
		"calls.perSecond":   {func(c *serve.Config, v float64) { c.Calls.PerSecond = v }, 0, million, 0.5},
		"calls.burst":       {func(c *serve.Config, v float64) { c.Calls.PerSecond, c.Calls.Burst = 1, int(v) }, 0, million, 1},
		"agents.maxExchanges": {
			func(c *serve.Config, v float64) { c.Agents.MaxExchanges = int(v) }, 16, million, 1,
		},
		"store.lease": {func(c *serve.Config, v float64) {
			c.Store = serve.Store{Kind: "dynamodb", Region: "eu-central-1", PageKeyFile: "key", Lease: time.Duration(v)}
		}, 3 * second, 60 * second, 1},
		"routing.embeddingsTimeout": {func(c *serve.Config, v float64) {
			c.Routing = serve.Routing{EmbeddingsURL: "https://embeddings.example", EmbeddingsModel: "m", EmbeddingsTimeout: time.Duration(v)}
		}, second / 100, 2 * second, 1},
		"evidence.answerWithin": {func(c *serve.Config, v float64) { c.Evidence.AnswerWithin = time.Duration(v) }, 60 * second, 168 * 3600 * second, 1},
		"evidence.jaegerTimeout": {func(c *serve.Config, v float64) {
			c.Evidence.JaegerURL, c.Evidence.JaegerTimeout = "https://jaeger.example", time.Duration(v)
		}, second / 10, 10 * second, 1},
		"evidence.cloudWatchTimeout": {func(c *serve.Config, v float64) {
			c.Evidence.CloudWatchRegion, c.Evidence.CloudWatchTimeout = "eu-central-1", time.Duration(v)
		}, second, 60 * second, 1},
		"retention.tasks":    {func(c *serve.Config, v float64) { c.Retention.Tasks = time.Duration(v) }, 60 * second, 0, 1},
		"retention.evidence": {func(c *serve.Config, v float64) { c.Retention.Evidence = time.Duration(v) }, 31 * 24 * 3600 * second, 0, 1},
		"backup.every":       {func(c *serve.Config, v float64) { c.Backup.Dir, c.Backup.Every = "/backup", time.Duration(v) }, 60 * second, 0, 1},
		"backup.keep":        {func(c *serve.Config, v float64) { c.Backup.Dir, c.Backup.Keep = "/backup", int(v) }, 1, 1000, 1},
	} {
		tries := map[float64]bool{test.low: true, test.low - test.step: false}
		if test.high > 0 {
			tries[test.high], tries[test.high+test.step] = true, false
		}
		for value, good := range tries {
			c, _ := config(t)
			test.set(&c, value)
			if err := validate(&c); good && err != nil || !good && (err == nil || !strings.HasPrefix(err.Error(), setting+": ")) {
				t.Errorf("%s = %f: Load() = %v, want it accepted: %t", setting, value, err, good)
			}
		}
	}
}

// TestWhatBelongsTogetherIsAccepted has settings that are refused without each other, or elsewhere.
func TestWhatBelongsTogetherIsAccepted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *serve.Config){
		"a provider and no API keys": func(c *serve.Config) {
			c.Auth.KeysFile, c.Auth.OIDC.Issuer, c.Auth.OIDC.Audience = "", "https://id.example", "quorate"
		},
		"plaintext behind a proxy": func(c *serve.Config) { c.HTTP.Addr, c.TLS.Plaintext = "0.0.0.0:8080", true },
		"free ports":               func(c *serve.Config) { c.HTTP.Addr, c.GRPC.Addr = "127.0.0.1:0", "127.0.0.1:0" },
		"TLS": func(c *serve.Config) {
			c.HTTP.Addr, c.TLS = "0.0.0.0:https", serve.TLS{Cert: "a", Key: "b", ClientCA: "c"}
		},
		"everything for ever": func(c *serve.Config) { c.Retention = serve.Retention{} },
		"a Jaeger with all it may have": func(c *serve.Config) {
			c.Evidence.JaegerURL, c.Evidence.JaegerTokenFile, c.Evidence.JaegerCA = "https://j.example", "t", "c"
		},
		"a Jaeger without a token":  func(c *serve.Config) { c.Evidence.JaegerURL = "http://jaeger.example" },
		"a token for a Jaeger here": func(c *serve.Config) { c.Evidence.JaegerURL, c.Evidence.JaegerTokenFile = "http://127.0.0.1", "t" },
		"evidence that was carried": func(c *serve.Config) { c.Evidence.JaegerURL, c.Evidence.Lowest = "https://jaeger.example", "C1" },
		"a private CloudWatch": func(c *serve.Config) {
			c.Evidence.CloudWatchRegion, c.Evidence.CloudWatchEndpoint = "eu-central-1", "https://logs.example"
		},
		"a key over TLS": func(c *serve.Config) {
			c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel, c.Routing.EmbeddingsKeyFile = "https://embeddings.example/v1", "m", "key"
		},
		"cards and copies in folders": func(c *serve.Config) { c.Agents.CardFolder, c.Backup.Dir = "/cards", "/backup" },
	} {
		c, _ := config(t)
		change(&c)
		if err := validate(&c); err != nil {
			t.Errorf("%s: Load() = %v, want no error", name, err)
		}
	}
}
