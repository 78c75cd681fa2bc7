package agentclient_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestWhichInterfacesAreSpoken asks for cards with one interface what can be done with it.
func TestWhichInterfacesAreSpoken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		binding, version string
		spoken, passes   bool
	}{
		{agentcard.BindingJSONRPC, "1.0", true, true},
		{agentcard.BindingJSONRPC, "1.1", true, true},
		{agentcard.BindingJSONRPC, "1", true, true},
		{agentcard.BindingJSONRPC, "", true, true},
		{agentcard.BindingJSONRPC, "2.0", false, false},
		{agentcard.BindingJSONRPC, "3.0.0", false, false},
		{agentcard.BindingJSONRPC, "0.1.0", true, false},
		{agentcard.BindingJSONRPC, "0.2.5", true, false},
		{agentcard.BindingJSONRPC, "0.3", true, false},
		{agentcard.BindingJSONRPC, "0.3.0", true, false},
		{agentcard.BindingGRPC, "1.0", true, true},
		{agentcard.BindingGRPC, "0.2.5", false, false},
		{agentcard.BindingGRPC, "0.3.0", false, false},
		{agentcard.BindingHTTPJSON, "1.0", true, false},
		{agentcard.BindingHTTPJSON, "0.3.0", false, false},
		{"SMTP", "1.0", false, false},
	} {
		card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://agent", Binding: test.binding, ProtocolVersion: test.version}}}
		if got := agentclient.Speaks(&card); got != test.spoken {
			t.Errorf("Speaks(%s %s) = %t, want %t", test.binding, test.version, got, test.spoken)
		}
		if got := agentclient.HasPassage(&card); got != test.passes {
			t.Errorf("HasPassage(%s %s) = %t, want %t", test.binding, test.version, got, test.passes)
		}
		want := ""
		if !test.spoken {
			want = "it offers " + test.binding + " " + test.version
		}
		if got := agentclient.Unspoken(card); (got == "") != test.spoken || !strings.HasSuffix(got, want) {
			t.Errorf("Unspoken(%s %s) = %q, want it to end with %q", test.binding, test.version, got, want)
		}
	}
	if got := agentclient.Unspoken(agentcard.Card{}); !strings.HasSuffix(got, "it offers none") {
		t.Errorf("Unspoken() of a card without interfaces = %q, want that it offers none", got)
	}
}
