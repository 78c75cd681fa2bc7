package cli_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegisterSendsTheCardAndTheMetadata(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	card := write(t, "card.json", `{"x-own":[1.0], "name":"a"}`+"\n")
	metadata := write(t, "metadata.json", `{"consultation_requirements":[{"id":"review","targetAgent":"reviewer","phase":"pre-completion"}]}`)
	tests := map[string]struct {
		stdin string
		args  []string
		want  object
	}{
		"by URL":       {"", []string{"http://127.0.0.1:9000"}, object{"cardUri": "http://127.0.0.1:9000"}},
		"from a file":  {"", []string{"-f", card}, object{"cardJson": `{"x-own":[1.0], "name":"a"}` + "\n"}},
		"from stdin":   {`{"name":"b"}`, []string{"--file", "-"}, object{"cardJson": `{"name":"b"}`}},
		"only checked": {"", []string{"http://x", "--validate-only"}, object{"cardUri": "http://x", "validateOnly": true}},
		"with metadata": {"", []string{"http://x", "--metadata", metadata}, object{"cardUri": "http://x", "metadata": object{
			"consultationRequirements": []any{object{"id": "review", "targetAgent": "reviewer", "phase": "pre-completion"}},
		}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"POST /v1/agents:register": answer(`{"agent":` + webFetch + `,"warnings":[{"code":"SKILLS_EMPTY","message":"no skills","field":"card.skills"}]}`),
			})
			exit, stdout, stderr := g.run(t, test.stdin, append([]string{"agents", "register", "--request-id", "r1"}, test.args...)...)
			if exit != 0 || !strings.HasPrefix(stdout, "Name         web-fetch\n") || !strings.Contains(stderr, "warning: card.skills: no skills (SKILLS_EMPTY)\n") {
				t.Errorf("Main(agents register %q) = %d, %q, %q, want 0, the agent and the warning", test.args, exit, stdout, stderr)
			}
			test.want["requestId"] = "r1"
			if diff := cmp.Diff(test.want, sent(t, g, 0)); diff != "" {
				t.Errorf("agents register %q sent (-want +got):\n%s", test.args, diff)
			}
		})
	}
}

func TestDeleteDoesNotAskWithoutATerminal(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"agents", "delete", "a"}, {"agent", "rm", "a", "--yes"}} {
		g := newGateway(t, map[string][]http.HandlerFunc{"DELETE /v1/agents/a": answer(`{}`)})
		exit, stdout, stderr := g.run(t, "", args...)
		if exit != 0 || stdout != "deleted a\n" || stderr != "" {
			t.Errorf("Main(%q) = %d, %q, %q, want 0 and no question", args, exit, stdout, stderr)
		}
	}
}

func TestTokenPrintsTheTokenAndNothingElse(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents/a:issueToken": answer(`{"token":"quorate_agent_x"}`)})
	exit, stdout, stderr := g.run(t, "", "agents", "token", "a")
	if exit != 0 || stdout != "quorate_agent_x\n" || stderr == "" {
		t.Errorf("Main(agents token a) = %d, %q, %q, want 0 and the token on stdout", exit, stdout, stderr)
	}
}
