package agentcard_test

import (
	"testing"

	"github.com/quorate/quorate/registry/agentcard"
)

func TestAnAddressIsTheSameHoweverItIsSpelt(t *testing.T) {
	for _, same := range [][]agentcard.Interface{
		{{URL: "http://127.0.0.1:9000"}, {URL: "http://localhost:9000/"}, {URL: "http://[::1]:9000"}, {URL: "http://[::ffff:127.0.0.1]:09000"}, {URL: "127.0.0.1:9000", Binding: "GRPC"}, {URL: "http://0.0.0.0:9000"}},
		{{URL: "http://[2001:db8::1]/a2a"}, {URL: "https://[2001:DB8:0:0::1]:443/a2a/"}},
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
