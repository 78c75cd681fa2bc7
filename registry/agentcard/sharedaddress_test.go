package agentcard_test

import (
	"testing"

	"github.com/quorate/quorate/registry/agentcard"
)

func TestAnAddressIsTheSameHoweverItIsSpelt(t *testing.T) {
	for _, same := range [][]agentcard.Interface{
		{{URL: "http://127.0.0.1:9000"}, {URL: "http://localhost:9000/"}, {URL: "http://[::1]:9000"}, {URL: "http://[::ffff:127.0.0.1]:09000"}, {URL: "127.0.0.1:9000", Binding: "GRPC"}, {URL: "http://0.0.0.0:9000"}, {URL: "http://a.localhost:9000"}},
		{{URL: "http://[2001:db8::1]/a2a"}, {URL: "https://[2001:DB8:0:0::1]:443/a2a/"}, {URL: "http://[2001:db8::1]:80/A2A"}},
		{{URL: "agents.example:443", Binding: "GRPC"}, {URL: "https://AGENTS.example", Binding: "GRPC"}, {URL: "https://agents.example/a2a", Binding: "GRPC"}, {URL: "https://agents.example"}},
	} {
		for _, x := range same {
			for _, y := range same {
				if at, ok := agentcard.SharedAddress(&agentcard.Card{Interfaces: []agentcard.Interface{x}}, &agentcard.Card{Interfaces: []agentcard.Interface{y}}); !ok || at != y.URL {
					t.Errorf("SharedAddress(%s, %s) = %q, %t, want %q", x.URL, y.URL, at, ok, y.URL)
				}
			}
		}
	}
}

func TestAnotherAddressIsNotShared(t *testing.T) {
	t.Parallel()
	for name, other := range map[string][2]agentcard.Interface{
		"port":           {{URL: "http://a.example:9000"}, {URL: "http://a.example:9001"}},
		"default port":   {{URL: "http://a.example"}, {URL: "http://a.example:8080"}},
		"path":           {{URL: "http://a.example/one"}, {URL: "http://a.example/two"}},
		"path, or none":  {{URL: "http://a.example/one"}, {URL: "http://a.example/"}},
		"query":          {{URL: "http://a.example/?agent=one"}, {URL: "http://a.example/?agent=two"}},
		"tenant":         {{URL: "http://a.example/", Tenant: "one"}, {URL: "http://a.example/", Tenant: "two"}},
		"host":           {{URL: "http://a.example"}, {URL: "http://b.example"}},
		"IP address":     {{URL: "http://10.0.0.1"}, {URL: "http://10.0.0.2"}},
		"no loopback":    {{URL: "http://127.0.0.1"}, {URL: "http://10.0.0.2"}},
		"no localhost":   {{URL: "http://localhost"}, {URL: "http://localhost.example"}},
		"host for gRPC":  {{URL: "a.example:443", Binding: "GRPC"}, {URL: "b.example:443", Binding: "GRPC"}},
		"gRPC, or paths": {{URL: "a.example:443", Binding: "GRPC"}, {URL: "https://a.example/a2a", Binding: "JSONRPC"}},
	} {
		source, target := &agentcard.Card{Interfaces: other[:1]}, &agentcard.Card{Interfaces: other[1:]}
		if at, ok := agentcard.SharedAddress(source, target); ok || at != "" {
			t.Errorf("SharedAddress() of agents with another %s = %q, %t, want none", name, at, ok)
		}
	}
}
