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
			[]string{"quorate.example", "ftp://quorate.example", "https://:8080", "https://quorate.example:99999", "https://me:secret@quorate.example", "https://quorate.example/?a=b", "https://quorate.example/#a"},
		},
		"http.allowedHosts": {
			func(c *serve.Config, value string) { c.HTTP.AllowedHosts = []string{"quorate.example", value} },
			[]string{"quorate", "quorate.internal:8080"},
			[]string{"", ":8080", "https://quorate.example", "quorate.example/", "*.quorate.example", "two names"},
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
