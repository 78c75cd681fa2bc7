package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFolderOfAgentsIsApplied(t *testing.T) {
	q := start(t, t.TempDir())
	folder := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	apply := func(exit int, stdout string, flags ...string) {
		t.Helper()
		if a := q.cli(append([]string{"agents", "apply", folder}, flags...)...); a.exit != exit || a.stdout != stdout {
			t.Errorf("quorate agents apply %q: exit %d, %q, %q, want %d, %q", flags, a.exit, a.stdout, a.stderr, exit, stdout)
		}
	}
	writeCard(t, folder, "bare") // card.json
	planner := `name: planner
card:
  name: Route Planner
  description: plans
  version: "1.0.0"
  capabilities: {}
  defaultInputModes: [text/plain]
  defaultOutputModes: [text/plain]
  skills: [{id: plan, name: Plan, description: plans, tags: [routes]}]
  supportedInterfaces: [{url: "http://127.0.0.1:8099", protocolBinding: JSONRPC, protocolVersion: "1.0"}]
metadata:
  consultation_requirements: [{id: look, target_agent: bare, phase: pre-completion, mandatory: true}]
`
	write("planner.yaml", planner)
	apply(0, "created bare\ncreated planner\n", "--validate-only")
	apply(0, "created bare\ncreated planner\n")
	apply(0, "unchanged bare\nunchanged planner\n")

	write("planner.yaml", strings.NewReplacer(`"1.0.0"`, `"1.1.0"`, "mandatory: true", "mandatory: false").Replace(planner))
	apply(0, "unchanged bare\nreplaced planner\n  card.version: \"1.0.0\" -> \"1.1.0\"\n  metadata.consultationRequirements[0].mandatory: true -> false\n", "--validate-only")
	apply(0, "unchanged bare\nreplaced planner\n")

	if err := os.Remove(filepath.Join(folder, "card.json")); err != nil {
		t.Fatal(err)
	}
	apply(0, "unchanged planner\ndeleted bare\n", "--prune", "name=bare OR tags:routes", "--validate-only")
	apply(0, "unchanged planner\ndeleted bare\n", "--prune", "name=bare OR tags:routes")
	apply(0, "unchanged planner\n", "--prune", "name=bare OR tags:routes")
	if agents := list(q.document(0, "agents", "list")["agents"]); len(agents) != 3 {
		t.Errorf("there are %d agents, want planner and the two that were not to be pruned", len(agents))
	}
}
