package cli_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/cli"
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
		"under a name": {"", []string{"http://x", "--name", "x"}, object{"cardUri": "http://x", "name": "x"}},
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

func TestRegisterReplacesWhenItIsTold(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"POST /v1/agents:apply":    answer(`{"agent":` + webFetch + `,"outcome":"replaced"}`),
		"POST /v1/agents:register": {refuse(409, 6, "AGENT_EXISTS", "an agent named web-fetch is registered already")},
	})
	exit, stdout, stderr := g.run(t, "", "agents", "register", "http://x", "--replace", "--request-id", "r1")
	if exit != 0 || !strings.HasPrefix(stdout, "Name         web-fetch\n") || stderr != "replaced\n" {
		t.Errorf("Main(agents register --replace) = %d, %q, %q, want 0, the agent and what was done", exit, stdout, stderr)
	}
	if diff := cmp.Diff(map[string]any{"cardUri": "http://x", "requestId": "r1"}, sent(t, g, 0)); diff != "" {
		t.Errorf("agents register --replace sent (-want +got):\n%s", diff)
	}
	if exit, _, stderr := g.run(t, "", "agents", "register", "http://x"); exit != 5 || !strings.Contains(stderr, "--replace") {
		t.Errorf("Main(agents register) of an agent that is there = %d, %q, want 5 and what to do", exit, stderr)
	}
}

func TestAgentsAreListedByAFilter(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents": answer(`{"agents":[` + webFetch + `]}`)})
	if exit, stdout, stderr := g.run(t, "", "agents", "list", "--filter", "status=available"); exit != 0 || !strings.Contains(stdout, "web-fetch") {
		t.Errorf("agents list = %d, %q, %q, want 0 and the agent", exit, stdout, stderr)
	}
	if diff := cmp.Diff([]string{"GET /v1/agents?filter=status%3Davailable&page_size=500"}, g.seen()); diff != "" {
		t.Errorf("agents list asked (-want +got):\n%s", diff)
	}
}

func TestAnAgentIsDrainedResumedAndRefreshed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args           []string
		call           string
		answer         string
		sent           map[string]any
		stdout, stderr string // what they begin with
	}{
		"drained": {
			[]string{"drain", "a", "--reason", "noon"},
			"POST /v1/agents/a:drain", `{"agentName":"a","draining":true}`,
			map[string]any{"name": "a", "reason": "noon"},
			"drained a\n", "put it back: quorate agents resume a\n",
		},
		"resumed": {[]string{"resume", "a"}, "POST /v1/agents/a:resume", `{"agentName":"a"}`, map[string]any{"name": "a"}, "resumed a\n", ""},
		"refreshed": {
			[]string{"refresh", "a", "--card-url", "http://x", "--etag", "e"},
			"POST /v1/agents/a:refreshCard",
			`{"agent":` + webFetch + `,"warnings":[{"code":"SKILLS_EMPTY","message":"no skills","field":"card.skills"}]}`,
			map[string]any{"name": "a", "cardUri": "http://x", "etag": "e"},
			"Name         web-fetch\n", "warning: card.skills: no skills (SKILLS_EMPTY)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{test.call: answer(test.answer)})
			exit, stdout, stderr := g.run(t, "", append([]string{"agents"}, test.args...)...)
			if exit != 0 || !strings.HasPrefix(stdout, test.stdout) || stderr != test.stderr {
				t.Errorf("Main(agents %q) = %d, %q, %q, want 0, %q and %q", test.args, exit, stdout, stderr, test.stdout, test.stderr)
			}
			got := sent(t, g, 0)
			id := got["requestId"]
			delete(got, "requestId")
			if diff := cmp.Diff(test.sent, got); diff != "" || id == nil {
				t.Errorf("agents %q sent with the request id %v (-want +got):\n%s", test.args, id, diff)
			}
		})
	}
}

func TestHowToResumeIsSaidAfterThatTheAgentIsDrained(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents/a:drain": answer(`{"agentName":"a","draining":true}`)})
	var both bytes.Buffer // as a terminal has it
	exit := cli.Main(t.Context(), []string{"agents", "drain", "a", "--server", g.url, "--token-file", g.token}, strings.NewReader(""), &both, &both)
	if want := "drained a\nput it back: quorate agents resume a\n"; exit != 0 || both.String() != want {
		t.Errorf("Main(agents drain a) = %d, %q, want 0, %q", exit, both.String(), want)
	}
}

func TestWhatIsOnlyValidIsNotWritten(t *testing.T) {
	t.Parallel()
	for call, args := range map[string][]string{
		"POST /v1/agents:register":         {"register", "http://x"},
		"POST /v1/agents/a:refreshCard":    {"refresh", "a"},
		"POST /v1/agents/a:setLiveVersion": {"rollback", "a", "1"},
		"POST /v1/agents/a:approveChange":  {"approve", "a", "--etag", "e"},
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{call: answer(`{"agent":` + webFetch + `}`)})
		exit, stdout, stderr := g.run(t, "", append([]string{"agents", args[0], "--validate-only"}, args[1:]...)...)
		if exit != 0 || stderr != "valid; nothing was written\n" || strings.Contains(stdout, "approved") || sent(t, g, 0)["validateOnly"] != true {
			t.Errorf("Main(agents %s --validate-only) = %d, %q, %q after %q, want 0 and that nothing was written", args[0], exit, stdout, stderr, g.seen())
		}
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
