package serve_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
)

func TestAddressesThatNobodyCanUseAreRefused(t *testing.T) {
	t.Parallel()
	for setting, test := range map[string]struct {
		set         func(c *serve.Config, value string)
		good, wrong []string
	}{
		"http.publicURL": {
			func(c *serve.Config, value string) { c.HTTP.PublicURL = value },
			[]string{"https://quorate.example", "http://[2001:db8::1]:8080/quorate/"},
			[]string{"quorate.example", "ftp://quorate.example", "https://:8080", "https://quorate.example:99999", "https://me:secret@quorate.example", "https://quorate.example/?a=b", "https://quorate.example/#a", "https://münchen.example", "https://quorate..example"},
		},
		"http.allowedHosts": {
			func(c *serve.Config, value string) { c.HTTP.AllowedHosts = []string{"quorate.example", value} },
			[]string{"quorate", "quorate.internal:8080", "my_quorate", "quorate.example.", "192.0.2.1", "[2001:db8::1]:8080"},
			[]string{"", "..", "-", "münchen.example", "quorate\u202e", strings.Repeat("a.", 127) + "example", ":8080", "https://quorate.example", "quorate.example/", "*.quorate.example", "two names"},
		},
		"grpc.publicAddr": {
			func(c *serve.Config, value string) { c.GRPC.PublicAddr = value },
			[]string{"quorate.example:443", "[2001:db8::1]:9090"},
			[]string{"quorate.example", ":9090", "quorate.example:", "quorate.example:https", "quorate.example:0", "quorate.example:99999", "https://quorate.example:443"},
		},
		"agents.allowOrigins": {
			func(c *serve.Config, value string) { c.Agents.AllowOrigins = []string{"planner.internal:8443", value} },
			[]string{"10.0.0.1:80", "[fd00::1]:80"},
			[]string{"planner.internal", ":80", "10.0.0.1:", "10.0.0.0/8:80", "*:80", "http://10.0.0.1:80"},
		},
		"push.allowOrigins": {
			func(c *serve.Config, value string) { c.Push.AllowOrigins = []string{value} },
			[]string{"hooks.internal:443"},
			[]string{"hooks.internal", "*.internal:443"},
		},
		"grpc.addr": {
			func(c *serve.Config, value string) { c.GRPC.Addr = value },
			[]string{"127.0.0.1:0", "localhost:9091"},
			[]string{"127.0.0.1:", "127.0.0.1", "127.0.0.1:99999"},
		},
		"store.region": {
			func(c *serve.Config, value string) { c.Store = tables(value, "") },
			[]string{"", "eu-central-1"},
			[]string{"x y", " ", "eu/central", "*"},
		},
		"store.endpoint": {
			func(c *serve.Config, value string) { c.Store = tables("", value) },
			[]string{"http://127.0.0.1:8000", "https://vpce.example/db"},
			[]string{"127.0.0.1:8000", "http://127.0.0.1:99999", "https://me:secret@db.example", "https://db.example/?version=1"},
		},
		"evidence.cloudWatchRegion": {
			func(c *serve.Config, value string) { c.Evidence.CloudWatchRegion = value },
			[]string{"", "eu-central-1"},
			[]string{"x y", "eu-central-1\n", "https://eu-central-1"},
		},
		"evidence.cloudWatchGroup": {
			func(c *serve.Config, value string) {
				c.Evidence.CloudWatchRegion, c.Evidence.CloudWatchGroup = "eu-central-1", value
			},
			[]string{"aws/spans", "/ours/x_y-z.1#2"},
			[]string{"", "x y", "aws/spans\n", strings.Repeat("a", 513)},
		},
		"telemetry.otlpEndpoint": {
			func(c *serve.Config, value string) { c.Telemetry.OTLPEndpoint = value },
			[]string{"http://127.0.0.1:4317", "https://collector.example:4317/"},
			[]string{"http://collector.example:99999", "http://*.example:4317", "https://me:secret@collector.example"},
		},
		"routing.embeddingsURL": {
			func(c *serve.Config, value string) { c.Routing.EmbeddingsURL, c.Routing.EmbeddingsModel = value, "m" },
			[]string{"http://127.0.0.1:11434/v1"},
			[]string{"127.0.0.1:11434", "https://me:secret@embeddings.example", "https://embeddings.example/?version=1"},
		},
	} {
		try := func(value string) error {
			c, _ := config(t)
			test.set(&c, value)
			return validate(&c)
		}
		for _, value := range test.good {
			if err := try(value); err != nil {
				t.Errorf("%s %q: Load() = %v, want no error", setting, value, err)
			}
		}
		for _, value := range test.wrong {
			if err := try(value); err == nil || !strings.HasPrefix(err.Error(), setting+": ") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s %q: Load() = %v, want an error that names the setting, and no password", setting, value, err)
			}
		}
	}
}

// tables is a store in DynamoDB.
func tables(region, endpoint string) serve.Store {
	return serve.Store{Kind: serve.KindDynamoDB, PageKeyFile: "page.key", Lease: serve.DefaultConfig().Store.Lease, Region: region, Endpoint: endpoint}
}
