package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/orchestrator/cli"
)

// resolved is a route that leads to no agent alone, but to a chain.
const resolved = `{"rejected":[{"agent":"coder","code":"INPUT_MISSING","reason":"it also requires \"stories\" (reference)"}],"refused":"",
	"chain":[{"agent":"analyst","inputs":[{"semanticType":"comment"}],"output":{"name":"stories","semanticType":"reference"}},
	{"agent":"coder","inputs":[{"name":"stories","semanticType":"reference"}],"output":{"name":"code","semanticType":"artifact"}}]}`

// routes has an answer for every call that only reads.
func routes() map[string][]http.HandlerFunc {
	return map[string][]http.HandlerFunc{
		"GET /v1/agents":                           answer(`{"agents":[`+oldAgent+`],"nextPageToken":"p2"}`, `{"agents":[`+webFetch+`]}`),
		"GET /v1/agents/web-fetch":                 answer(webFetch),
		"GET /v1/agents/old":                       answer(oldAgent),
		"GET /v1/skills":                           answer(`{"skills":[{"id":"fetch_url","agentName":"web-fetch","agentStatus":"available","description":"Fetches a page as Markdown, with its links, its headings and its tables."}]}`),
		"GET /v1/skills/fetch_url/agents":          answer(`{"agents":[` + webFetch + `]}`),
		"GET /v1/tags/a%2Fb/agents":                answer(`{"agents":[` + webFetch + `]}`),
		"GET /v1/tasks":                            answer(`{"tasks":[`+blockedTask+`],"nextPageToken":"p2"}`, `{"tasks":[`+completedTask+`],"nextPageToken":"p3"}`),
		"GET /v1/tasks/t1":                         answer(blockedTask),
		"GET /v1/tasks/done":                       answer(completedTask),
		"GET /v1/tasks/failed":                     answer(failedTask),
		"GET /v1/tasks/several":                    answer(severalTask),
		"GET /v1/tasks/retried":                    answer(retriedTask),
		"GET /v1/tasks/t1/consultations":           answer(`{"consultations":[` + consultation("answered", "approved") + `]}`),
		"GET /v1/tasks/none/consultations":         answer(`{}`),
		"GET /v1/tasks/t1:checkConsultations":      answer(`{"requirements":[` + rejected + `,` + skipped + `]}`),
		"GET /v1/tasks/done:checkConsultations":    answer(`{"allowed":true}`),
		"GET /v1/tasks/failed:checkConsultations":  answer(`{"allowed":true}`),
		"GET /v1/tasks/several:checkConsultations": answer(`{"allowed":true}`),
		"GET /v1/tasks/retried:checkConsultations": answer(`{"allowed":true}`),
		"POST /v1/routes:resolve":                  answer(resolved),
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		exit int
	}{
		"agents_list":         {args: []string{"agents", "list"}},
		"agents_list_json":    {args: []string{"agent", "ls", "-o", "json"}},
		"agents_get":          {args: []string{"agents", "get", "web-fetch"}},
		"agents_get_v03":      {args: []string{"agents", "get", "old"}},
		"skills_all":          {args: []string{"skills", "find"}},
		"skills_find_tag":     {args: []string{"skill", "find", "--tag", "a/b"}},
		"skills_find":         {args: []string{"skill", "find", "fetch_url", "--available"}},
		"tasks_list":          {args: []string{"tasks", "list", "--limit", "2"}},
		"tasks_get":           {args: []string{"tasks", "get", "done"}},
		"tasks_get_json":      {args: []string{"task", "get", "done", "-o", "json"}},
		"tasks_get_failed":    {args: []string{"tasks", "get", "failed"}},
		"tasks_explain":       {args: []string{"tasks", "explain", "t1"}},
		"tasks_explain_done":  {args: []string{"tasks", "explain", "done"}},
		"tasks_explain_fail":  {args: []string{"tasks", "explain", "failed"}},
		"tasks_explain_many":  {args: []string{"tasks", "explain", "several"}},
		"tasks_explain_again": {args: []string{"tasks", "explain", "retried"}},
		"tasks_get_many":      {args: []string{"tasks", "get", "several"}},
		"tasks_explain_json":  {args: []string{"tasks", "explain", "t1", "-o", "json"}},
		"routes_resolve":      {args: []string{"routes", "resolve", "--want", "artifact"}},
		"consultations_list":  {args: []string{"consultations", "list", "t1"}},
		"consultations_none":  {args: []string{"consultation", "ls", "none"}},
		"consultations_check": {args: []string{"consultations", "check", "t1", "--phase", "pre-completion"}, exit: 8},
		"consultations_pass":  {args: []string{"consultations", "check", "done"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, stdout, stderr := newGateway(t, routes()).run(t, "", test.args...)
			if exit != test.exit {
				t.Errorf("Main(%q) = %d, want %d", test.args, exit, test.exit)
			}
			golden(t, name, stdout+"--- stderr\n"+stderr)
		})
	}
}

func TestSkillsAreFoundAsTheFlagsSay(t *testing.T) {
	t.Parallel()
	g := newGateway(t, routes())
	g.run(t, "", "skills", "find", "fetch_url", "--available", "--tag", "a/b")
	g.run(t, "", "skills", "find", "--available", "--tag", "a/b")
	g.run(t, "", "skills", "find", "fetch_url")
	want := []string{
		"GET /v1/skills/fetch_url/agents?available_only=true&page_size=500&tag=a%2Fb", "GET /v1/tags/a%2Fb/agents?available_only=true&page_size=500",
		"GET /v1/skills/fetch_url/agents?page_size=500",
	}
	if diff := cmp.Diff(want, g.seen()); diff != "" {
		t.Errorf("skills find asked (-want +got):\n%s", diff)
	}
}

func TestListsAskForNoMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	g := newGateway(t, routes())
	g.run(t, "", "tasks", "list", "--limit", "2")
	want := []string{"GET /v1/tasks?page_size=2", "GET /v1/tasks?page_size=1&page_token=p2"}
	if diff := cmp.Diff(want, g.seen()); diff != "" {
		t.Errorf("tasks list --limit 2 asked (-want +got):\n%s", diff)
	}
}

func TestTextFromOutsideCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	const evil = `"x\u001b]0;pwned\u0007\u202e\u009b2J\r\ny"`
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/agents":    answer(`{"agents":[{"name":` + evil + `}]}`),
		"GET /v1/agents/x":  {refuse(http.StatusNotFound, 5, "AGENT_NOT_FOUND", "no \x1b[2J\nagent")},
		"GET /v1/tasks/t1":  answer(`{"id":` + evil + `,"artifacts":[{"name":` + evil + `,"parts":[{"text":` + evil + `}]}]}`),
		"GET /v1/tasks/t1w": answer(`{"id":"t1w"}`),
		"GET /v1/tasks/t1w:watch": {stream(false, `{"event":{"sequence":"1","type":"progress","detail":`+evil+`}}`,
			`{"task":{"id":"t1w","state":"TASK_STATE_COMPLETED","artifacts":[{"parts":[{"text":`+evil+`}]}]}}`)},
	})
	for _, args := range [][]string{{"agents", "list"}, {"agents", "get", "x"}, {"tasks", "get", "t1"}, {"tasks", "watch", "t1w"}} {
		_, stdout, stderr := g.run(t, "", args...)
		if got := stdout + stderr; strings.ContainsAny(got, "\x1b\a\r\u009b\u202e") || len(got) == 0 {
			t.Errorf("Main(%q) printed %q, want text without control characters", args, got)
		}
		if args[0] == "agents" && strings.Contains("\n"+stdout+stderr, "\ny") || strings.Contains(stderr, "\nagent") {
			t.Errorf("Main(%q) printed %q, want no line that an agent has begun", args, stdout+stderr)
		}
	}
	_, stdout, _ := g.run(t, "", "agents", "list", "-o", "json")
	var list struct{ Agents []struct{ Name string } }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || list.Agents[0].Name != "x\x1b]0;pwned\a\u202e\u009b2J\r\ny" {
		t.Errorf("agents list -o json = %q, %v, want the name untouched", stdout, err)
	}
}

func TestRelative(t *testing.T) {
	t.Parallel()
	tests := map[time.Duration]string{
		0: "0s ago", -12 * time.Second: "12s ago", -time.Minute: "1m ago", -time.Hour: "1h ago", -48 * time.Hour: "2d ago", -90 * time.Second: "1m ago", -47 * time.Hour: "47h ago",
		-72 * time.Hour: "3d ago", 5*time.Minute + time.Second: "in 5m",
	}
	for distance, want := range tests {
		if got := cli.Relative(distance); got != want {
			t.Errorf("relative(%v) = %q, want %q", distance, got, want)
		}
	}
}

// fullDisk takes no byte.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatIsLostIsAnError(t *testing.T) {
	t.Parallel()
	g := newGateway(t, routes())
	client := " --server " + g.url + " --token-file " + g.token
	for _, command := range []string{
		"agents list" + client, "agents list -o json" + client, "consultations check t1" + client, "consultations check t1 -o json" + client,
		"help", "tasks --help", "completion bash", "--version",
	} {
		var stderr strings.Builder
		args := strings.Fields(command)
		if exit := cli.Main(t.Context(), args, strings.NewReader(""), fullDisk{}, &stderr); exit != 1 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("Main(%q) to a full disk = %d, %q, want 1 and why", args, exit, stderr.String())
		}
	}
}

func TestTasksAreListedByAFilterOverEmptyPages(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/tasks": answer(`{"nextPageToken":"p2"}`, `{"tasks":[`+completedTask+`]}`)})
	exit, stdout, stderr := g.run(t, "", "tasks", "list", "--filter", "blocked=true", "--limit", "2")
	if exit != 0 || !strings.Contains(stdout, "COMPLETED") {
		t.Errorf("tasks list = %d, %q, %q, want 0 and the task of the second page", exit, stdout, stderr)
	}
	want := []string{"GET /v1/tasks?filter=blocked%3Dtrue&page_size=2", "GET /v1/tasks?filter=blocked%3Dtrue&page_size=2&page_token=p2"}
	if diff := cmp.Diff(want, g.seen()); diff != "" {
		t.Errorf("tasks list asked (-want +got):\n%s", diff)
	}
}

func TestAListThatGoesOnSaysSo(t *testing.T) {
	t.Parallel()
	for command, answered := range map[string]struct{ path, items string }{
		"agents list":       {"/v1/agents", `"agents":[{}]`},
		"agents versions a": {"/v1/agents/a/versions", `"versions":[{}]`},
		"skills find":       {"/v1/skills", `"skills":[{}]`},
		"skills find s":     {"/v1/skills/s/agents", `"agents":[{}]`},
		"tasks list":        {"/v1/tasks", `"tasks":[{}]`},
		"domains list":      {"/v1/allowedDomains", `"allowedDomains":[{}]`},
		"keys list":         {"/v1/signingKeys", `"signingKeys":[{}]`},
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{"GET " + answered.path: answer(`{` + answered.items + `,"nextPageToken":"p2"}`)})
		key, _, _ := strings.Cut(answered.items, ":")
		if exit, out, _ := g.run(t, "", append(strings.Fields(command), "--limit", "1", "-o", "json")...); exit != 0 || !strings.Contains(out, `"nextPageToken": "p2"`) ||
			!strings.Contains(out, key+": [") {
			t.Errorf("%s --limit 1 -o json = %d, %s, want the items and the token of the next page", command, exit, out)
		}
		if exit, _, notes := g.run(t, "", append(strings.Fields(command), "--limit", "1")...); exit != 0 || !strings.Contains(notes, "raise --limit") {
			t.Errorf("%s --limit 1 = %d, %q, want that there are more", command, exit, notes)
		}
	}
}

// TestJSONHasItsListsEvenWhenTheyAreEmpty reads what -o json prints as a script does that goes through a list.
func TestJSONHasItsListsEvenWhenTheyAreEmpty(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/agents": answer(`{}`), "GET /v1/tasks": answer(`{}`), "GET /v1/semanticMappings": answer(`{}`), "GET /v1/tasks/t": answer(`{"id":"t"}`), "GET /v1/tasks/t:checkConsultations": answer(`{}`),
	})
	for command, want := range map[string]string{
		"agents list":     `{"agents":[],"nextPageToken":""}`,
		"tasks list":      `{"tasks":[],"nextPageToken":""}`,
		"mappings list":   `{"semanticMappings":[],"nextPageToken":""}`,
		"tasks get t":     `{"id":"t","attempts":[],"artifacts":[],"gates":[],"turns":[]}`,
		"tasks explain t": `{"task":{"id":"t","attempts":[],"artifacts":[],"gates":[],"turns":[]},"check":{"requirements":[],"notBegun":[]}}`,
	} {
		var got bytes.Buffer
		exit, out, _ := g.run(t, "", append(strings.Fields(command), "-o", "json")...)
		if err := json.Compact(&got, []byte(out)); exit != 0 || err != nil || got.String() != want {
			t.Errorf("%s -o json = %d, %s, %v, want %s", command, exit, got.String(), err, want)
		}
	}
}

func TestAnEmptyListSaysHowToBegin(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/agents": answer(`{}`), "GET /v1/tasks": answer(`{}`), "GET /v1/allowedDomains": answer(`{}`),
		"GET /v1/skills/reading/agents": answer(`{}`),
	})
	for command, want := range map[string]string{
		"agents list": "no agents\n  try: quorate agents register URL\n",
		"agents list --filter status=unavailable": "no agents\n",
		"tasks list":                       "no tasks\n  try: quorate tasks submit --agent NAME --text TEXT\n",
		"tasks list --filter blocked=true": "no tasks\n",
		"skills find reading":              "no agents\n  try: quorate skills find\n",
		"domains list":                     "no domains\n  try: quorate domains add HOST\n",
	} {
		if exit, out, notes := g.run(t, "", strings.Fields(command)...); exit != 0 || out != "" || notes != want {
			t.Errorf("%s of none = %d, %q, %q, want 0, nothing and %q", command, exit, out, notes, want)
		}
	}
}
