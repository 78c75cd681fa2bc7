package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestShellsCompleteWhatTheServerKnows asks as the scripts of "quorate completion" do.
func TestShellsCompleteWhatTheServerKnows(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/agents":                       answer(`{"agents":[{"name":"web-fetch","status":{"status":"available"}},{"name":"web-search"}]}`),
		"GET /v1/tasks":                        answer(`{"tasks":[{"id":"abc","state":"TASK_STATE_FAILED","agent":"web-fetch"},{"id":"xyz"}]}`),
		"GET /v1/skills":                       answer(`{"skills":[{"id":"fetch"},{"id":"fetch"},{"id":"fetch; reboot"},{"id":"fetch\nall"},{"id":"fetch_$(id)"},{"id":"read"}]}`),
		"GET /v1/tasks/abc:checkConsultations": answer(`{"requirements":[{"id":"review","verdict":"missing"},{"id":"legal"}]}`),
	})
	const none = ":4"
	tests := map[string]struct {
		args []string // the last is what is being typed
		want []string // and after them, what the shell is told to do
	}{
		"an agent":                           {[]string{"agents", "get", "web"}, []string{"web-fetch\tavailable", "web-search", none}},
		"one agent only":                     {[]string{"agents", "get", "web-fetch", ""}, []string{none}},
		"any number of agents":               {[]string{"agents", "export", "web-fetch", ""}, []string{"web-fetch\tavailable", "web-search", none}},
		"an agent, in a flag":                {[]string{"tasks", "submit", "--agent", ""}, []string{"web-fetch\tavailable", "web-search", none}},
		"a task by its first letters":        {[]string{"tasks", "watch", "a"}, []string{"abc\tFAILED web-fetch", none}},
		"a skill that a shell takes as such": {[]string{"routes", "resolve", "--skill", "f"}, []string{"fetch", none}},
		"a requirement of the task":          {[]string{"consultations", "request", "abc", "--requirement", "r"}, []string{"review\tmissing", none}},
		"a requirement of no task":           {[]string{"consultations", "request", "--requirement", ""}, []string{none}},
		"what is no name":                    {[]string{"agents", "get", "$("}, []string{none}},
		"no files where none is taken":       {[]string{"agents", "list", ""}, []string{none}},
		"files":                              {[]string{"agents", "apply", ""}, []string{":0"}},
		"how many agents":                    {[]string{"tasks", "submit", "--fan-out", ""}, []string{"all", "any", none}},
		"a format":                           {[]string{"tasks", "list", "-o", ""}, []string{"table", "json", none}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last := len(test.args) - 1
			args := append([]string{"__complete"}, test.args[:last]...)
			args = append(args, "--server", g.url, "--token-file", g.token)
			if before := test.args[max(last-1, 0)]; strings.HasPrefix(before, "-") { // its value comes right behind it
				args = append(args[:last], "--server", g.url, "--token-file", g.token, before)
			}
			exit, stdout, stderr := run(t.Context(), "", append(args, test.args[last])...)
			if want := strings.Join(test.want, "\n") + "\n"; exit != 0 || stdout != want {
				t.Errorf("Main(%q) = %d, %q, %q, want 0 and %q", args, exit, stdout, stderr, want)
			}
		})
	}
	t.Cleanup(func() {
		if asked := strings.Join(g.seen(), "\n"); !strings.Contains(asked, "GET /v1/agents?filter=name%3D%22web%2A%22&page_size=200") {
			t.Errorf("asked %s, want the agents that begin with what is typed", asked)
		}
	})
}

func TestACompletionWithoutAServerOffersNothing(t *testing.T) {
	t.Parallel()
	exit, stdout, _ := run(t.Context(), "", "__complete", "agents", "get", "--server", "http://127.0.0.1:1", "")
	if exit != 0 || stdout != ":4\n" {
		t.Errorf("Main(__complete agents get) = %d, %q, want 0 and no word", exit, stdout)
	}
}

// TestASkillOfManyAgentsHidesNoOther has skills on more than one page, up to the end of those that begin with what is typed, or to one that fails.
func TestASkillOfManyAgentsHidesNoOther(t *testing.T) {
	t.Parallel()
	const first, second = `{"skills":[{"id":"a"},{"id":"f1"},{"id":"f1"}],"nextPageToken":"2"}`, `{"skills":[{"id":"f1"},{"id":"f2"},{"id":"g"}],"nextPageToken":"3"}`
	for want, pages := range map[string][]http.HandlerFunc{
		"f1\nf2\n:4\n": {answer(first)[0], answer(second)[0], refuse(http.StatusInternalServerError, 13, "INTERNAL", "asked for a third page")},
		"f1\n:4\n":     {answer(first)[0], refuse(http.StatusInternalServerError, 13, "INTERNAL", "the second page fails")},
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/skills": pages})
		exit, stdout, stderr := run(t.Context(), "", "__complete", "skills", "find", "--server", g.url, "--token-file", g.token, "f")
		if asked := g.seen(); exit != 0 || stdout != want || len(asked) != 2 {
			t.Errorf("Main(__complete skills find f) = %d, %q, %q after %q, want 0, %q and two pages", exit, stdout, stderr, asked, want)
		}
	}
}
