package agentclient_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator/agentclient"
)

// TestTheExtensionsOfACallAreThoseThatAHeaderCanHold requests what callers may have written into their messages.
func TestTheExtensionsOfACallAreThoseThatAHeaderCanHold(t *testing.T) {
	t.Parallel()
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = strings.Split(r.Header.Get("A2A-Extensions"), ",")
		write(w, "application/json", `{"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}}}`)
	}))
	t.Cleanup(server.Close)
	shared, card := pool(t), cardOf(server.URL)
	way := shared.PassageOverJSONRPC("a", card)
	c, _, err := shared.Connect("a", *card)
	if err != nil {
		t.Fatal(err)
	}
	longest := "urn:" + strings.Repeat("x", 252)
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("urn:%02d", i)
	}
	for name, test := range map[string]struct{ asked, want []string }{
		"none":           {nil, nil},
		"two, one twice": {[]string{"urn:a", "urn:b", "urn:a"}, []string{"urn:a", "urn:b"}},
		"no name":        {[]string{"", "urn:a"}, []string{"urn:a"}},
		"two in one":     {[]string{"urn:a,urn:b"}, nil},
		"a line break":   {[]string{"urn:a\r\nX-Other: b", "urn:c"}, []string{"urn:c"}},
		"a blank":        {[]string{"urn:a b"}, nil},
		"no ASCII":       {[]string{"urn:ä", "urn:\x7f"}, nil},
		"the longest":    {[]string{longest}, []string{longest}},
		"one too long":   {[]string{longest + "x"}, nil},
		"too many":       {many, many[:31]},
	} {
		err := c.Send(agentclient.WithExtensions(t.Context(), test.asked), message("m", "hello"), false, func(*a2apb.StreamResponse) error { return nil })
		if err != nil || !slices.Equal(got[1:], test.want) || !strings.Contains(got[0], "consultation") {
			t.Errorf("%s: Send() = %v, and it requests %q, want %q after Quorate's own", name, err, got, test.want)
		}
		if _, err := post(agentclient.WithExtensions(t.Context(), test.asked), way, "{}"); err != nil || !slices.Equal(got[1:], test.want) {
			t.Errorf("%s: Post() = %v, and it requests %q, want %q after Quorate's own", name, err, got, test.want)
		}
	}
}
