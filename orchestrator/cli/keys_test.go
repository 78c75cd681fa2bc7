package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestKeysArePinnedListedAndDeleted(t *testing.T) {
	t.Parallel()
	const key = `{"keyId":"did:web:acme.com/team#1","agents":["a","b"],"thumbprint":"abc","createTime":"2026-01-16T12:00:00Z"}`
	g := newGateway(t, map[string][]http.HandlerFunc{
		"POST /v1/signingKeys":                               answer(key),
		"GET /v1/signingKeys":                                answer(`{"signingKeys":[`+key+`],"nextPageToken":"n"}`, `{"signingKeys":[{"keyId":"k2"}]}`),
		"DELETE /v1/signingKeys/did:web:acme.com%2Fteam%231": answer(`{}`),
	})
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"keys", "pin", "-", "--agent", "a", "--agent", "b"}, "pinned did:web:acme.com/team#1 (SHA-256 abc)\n"},
		{[]string{"keys", "list"}, "KEY                      AGENTS  PINNED                SHA-256\ndid:web:acme.com/team#1  a, b    2026-01-16T12:00:00Z  abc\nk2                       all     -\n"},
		{[]string{"key", "rm", "did:web:acme.com/team#1"}, "deleted did:web:acme.com/team#1\n"},
	}
	for _, test := range tests {
		if exit, stdout, stderr := g.run(t, `{"kty":"EC","kid":"k"}`, test.args...); exit != 0 || stdout != test.want {
			t.Errorf("Main(%q) = %d, %q, %q, want 0, %q", test.args, exit, stdout, stderr, test.want)
		}
	}
	if sent := g.seen()[0]; !strings.Contains(sent, `"kid":"k"`) || !strings.Contains(sent, `"agents":["a","b"]`) || !strings.Contains(sent, `"requestId":`) {
		t.Errorf("keys pin sent %s, want the key, its agents, and an id by which it may be repeated", sent)
	}
}

func TestVersionsAreListedAndAnEarlierOneIsTaken(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/agents/a/versions": answer(`{"versions":[{"version":"2","live":true,"cardVersion":"1.1.0","createTime":"2026-01-16T12:00:00Z",` +
			`"breakingChanges":[{"message":"one"},{"message":"two"},{"message":"three"},{"message":"four"}]},{"version":"1","cardVersion":"1.0.0"}]}`),
		"POST /v1/agents/a:setLiveVersion": answer(`{"agent":{"name":"a","liveVersion":"1","latestVersion":"2","verification":{"state":"verified","keyId":"k"},` +
			`"source":{"type":"folder","location":"/cards"}},"warnings":[{"code":"SKILL_REMOVED","message":"the skill is gone","field":"card.skills"}]}`),
	})
	const table = "VERSION  LIVE  CARD   TAKEN                 BREAKING CHANGES\n" +
		"2        live  1.1.0  2026-01-16T12:00:00Z  one; two; three; and 1 more\n1              1.0.0  -\n"
	if exit, stdout, stderr := g.run(t, "", "agents", "versions", "a"); exit != 0 || stdout != table {
		t.Errorf("Main(agents versions a) = %d, %q, %q, want 0, %q", exit, stdout, stderr, table)
	}
	exit, stdout, stderr := g.run(t, "", "agents", "rollback", "a", "1", "--etag", "e")
	if exit != 0 || !strings.Contains(stderr, "SKILL_REMOVED") {
		t.Errorf("Main(agents rollback a 1) = %d, %q, %q, want 0 and the warning", exit, stdout, stderr)
	}
	for _, want := range []string{"1 of 2", "verified with k", "folder /cards (gone)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("Main(agents rollback a 1) prints %q, want %q in it", stdout, want)
		}
	}
	if sent := g.seen()[1]; !strings.Contains(sent, `"etag":"e"`) || !strings.Contains(sent, `"version":"1"`) {
		t.Errorf("agents rollback sent %s, want the version and the etag", sent)
	}
	for _, version := range []string{"0", "x"} {
		if exit, _, _ := g.run(t, "", "agents", "rollback", "a", version); exit != 2 {
			t.Errorf("Main(agents rollback a %s) = %d, want 2", version, exit)
		}
	}
}

// TestAKeyIsMadeForAWordOnly has names that a line of the file of keys cannot hold, or that no log should.
func TestAKeyIsMadeForAWordOnly(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("x", 128)
	for name, exit := range map[string]int{
		"azAZ09._-@": 0, most: 0, most + "x": 2, "": 2, "a b": 2, "a\nb": 2, "a/b": 2, "a,b": 2, "a:b": 2, "a[b": 2, "a`b": 2, "a{b": 2, "#a": 2, "\u00fc": 2,
	} {
		for _, args := range [][]string{{"--name", name}, {"--name", "x", "--tenant", name}} {
			if name == "" && len(args) > 2 { // the default tenant
				continue
			}
			got, stdout, stderr := run(t.Context(), "", append([]string{"keys", "new", "--role", "viewer"}, args...)...)
			if got != exit || exit != 0 && (stdout != "" || !strings.Contains(stderr, "are words")) {
				t.Errorf("Main(keys new %q) = %d, %q, %q, want %d", args, got, stdout, stderr, exit)
			}
		}
	}
}
