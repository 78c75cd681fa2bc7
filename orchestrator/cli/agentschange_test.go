package cli_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// changedAgent has a change that waits.
const changedAgent = `{"name":"a","etag":"e1","card":{"name":"a"},"pendingChange":{"author":"refresher","createTime":"2026-01-16T12:00:00Z","version":"2","differences":[` +
	`{"field":"card.url","old":"\"https://one\"","new":"\"https://two\""},{"field":"card.skills.pay","new":"{}"},{"field":"card.x","old":"1"}]}}`

func TestAChangeThatWaitsIsShown(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents/a": answer(changedAgent), "GET /v1/agents": answer(`{"agents":[` + changedAgent + `]}`)})
	const want = "Waits for approval since 2026-01-16T12:00:00Z, brought by the server of its card\n" +
		"  card.url         \"https://one\" becomes \"https://two\"\n  card.skills.pay  new: {}\n  card.x           gone: 1\n"
	if exit, stdout, stderr := g.run(t, "", "agents", "get", "a"); exit != 0 || !strings.Contains(stdout, want) || !strings.Contains(stderr, "quorate agents approve a") {
		t.Errorf("Main(agents get a) = %d, %q, %q, want 0, %q and what to do", exit, stdout, stderr, want)
	}
	if exit, stdout, stderr := g.run(t, "", "agents", "list"); exit != 0 || !strings.Contains(stdout, "(change waits)") {
		t.Errorf("Main(agents list) = %d, %q, %q, want 0 and that a change waits", exit, stdout, stderr)
	}
}

func TestAChangeIsDecidedAsItWasSeen(t *testing.T) {
	t.Parallel()
	for verb, done := range map[string]string{"approve": "approved the change of a\n", "reject": "rejected the change of a\n"} {
		g := newGateway(t, map[string][]http.HandlerFunc{
			"GET /v1/agents/a": answer(changedAgent), "POST /v1/agents/a:" + verb + "Change": answer(`{"agent":{"name":"a"}}`),
		})
		exit, stdout, stderr := g.run(t, "", "agents", verb, "a", "--yes")
		if exit != 0 || stdout != done || !strings.Contains(stderr, `card.url: "https://one" becomes "https://two"`) {
			t.Errorf("Main(agents %s a --yes) = %d, %q, %q, want 0, %q and the change", verb, exit, stdout, stderr, done)
		}
		if exit, stdout, stderr := g.run(t, "", "agents", verb, "a", "--etag", "e0"); exit != 0 || stdout != done {
			t.Errorf("Main(agents %s a --etag e0) = %d, %q, %q, want 0, %q", verb, exit, stdout, stderr, done)
		}
		for call, etag := range map[int]string{1: "e1", 2: "e0"} {
			got := sent(t, g, call)
			id := got["requestId"]
			delete(got, "requestId")
			if diff := cmp.Diff(map[string]any{"name": "a", "etag": etag}, got); diff != "" || id == nil {
				t.Errorf("agents %s sent with the request id %v (-want +got):\n%s", verb, id, diff)
			}
		}
		if exit, _, stderr := g.run(t, "", "agents", verb, "a"); exit != 2 || !strings.Contains(stderr, "--etag") {
			t.Errorf("Main(agents %s a) without a terminal = %d, %q, want 2 and what to say", verb, exit, stderr)
		}
	}
}

func TestAChangeThatIsOnlyCheckedIsShownWithoutAQuestion(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents/a": answer(changedAgent), "POST /v1/agents/a:approveChange": answer(`{"agent":{"name":"a"}}`)})
	if exit, stdout, stderr := g.run(t, "", "agents", "approve", "a", "--validate-only"); exit != 0 || stdout != "" || !strings.Contains(stderr, "card.url") {
		t.Errorf("Main(agents approve a --validate-only) = %d, %q, %q, want 0, the change and no question", exit, stdout, stderr)
	}
}
