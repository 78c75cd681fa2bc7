package e2e_test

import (
	"os"
	"strings"
	"testing"
)

func TestAgentsAreFoundInAFolderAndPublishedInACatalog(t *testing.T) {
	folder := t.TempDir()
	card := writeCard(t, folder, "found")
	dir := t.TempDir()
	q := start(t, dir, "--card-folder", folder)
	q.until("the agent of the card in the folder is registered", func() bool {
		return q.cli("agents", "get", "found").exit == 0
	})
	code, catalog, _ := q.http("GET", "/.well-known/ai-catalog.json", nil, q.token())
	for _, name := range []string{"found", "reviewer", "web-fetch"} {
		if code != 200 || !strings.Contains(string(catalog), name) {
			t.Errorf("the AI Catalog (%d) does not name %s:\n%s", code, name, catalog)
		}
	}
	code, found, _ := q.http("POST", "/ard/search", strings.NewReader(`{"query":{"text":"fetch a web page"}}`), q.token())
	if code != 200 || !strings.Contains(string(found), "web-fetch") {
		t.Errorf("POST /ard/search = %d %s, want web-fetch found", code, found)
	}
	if code, nothing, _ := q.http("GET", "/ard", nil, q.token()); code != 404 || !strings.Contains(string(nothing), `there is nothing at /ard"`) {
		t.Errorf("GET /ard = %d %s, want 404 and no redirect", code, nothing)
	}
	q.stop()

	// What vanishes from its source is marked and stays.
	if err := os.Remove(card); err != nil {
		t.Fatal(err)
	}
	q = start(t, dir, "--card-folder", folder)
	q.until("the agent is marked as gone from its source", func() bool {
		source, _ := q.document(0, "agents", "get", "found")["source"].(map[string]any)
		return source != nil && source["present"] != true
	})
	if gone := list(q.document(0, "agents", "list", "--filter", "source.present=false")["agents"]); len(gone) != 1 {
		t.Errorf("quorate agents list --filter source.present=false finds %d agents, want the one that is gone", len(gone))
	}

	// An admin who describes it takes it over.
	apply := []string{"agents", "apply", writeCard(t, t.TempDir(), "found")}
	if a := q.cli(append(apply, "--validate-only")...); a.exit != 0 || !strings.Contains(a.stdout, "  source.type: \"folder\" -> \"api\"\n") {
		t.Errorf("quorate agents apply --validate-only: exit %d, %q, %q, want the change of the source", a.exit, a.stdout, a.stderr)
	}
	if a := q.cli(apply...); a.exit != 0 || a.stdout != "replaced found\n" {
		t.Errorf("quorate agents apply: exit %d, %q, %q, want it replaced", a.exit, a.stdout, a.stderr)
	}
}
