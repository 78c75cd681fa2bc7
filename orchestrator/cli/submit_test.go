package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sent returns the JSON body of one of the requests.
func sent(t *testing.T, g *gateway, request int) map[string]any {
	t.Helper()
	_, body, ok := strings.Cut(g.seen()[request], "{")
	var fields map[string]any
	if err := json.Unmarshal([]byte("{"+body), &fields); !ok || err != nil {
		t.Fatalf("request %q holds no JSON: %v", g.seen()[request], err)
	}
	return fields
}

func TestSubmitSendsWhatTheFlagsSay(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	text := func(text string) object { return object{"role": "ROLE_USER", "parts": []any{object{"text": text}}} }
	note := write(t, "note.txt", "read me")
	blob := write(t, "blob.bin", "\xff\x00")
	tests := map[string]struct {
		stdin string
		args  []string
		want  object
	}{
		"an agent and a text": {
			args: []string{"--agent", "web-fetch", "--text", "Fetch it"},
			want: object{"route": object{"agent": "web-fetch"}, "message": text("Fetch it")},
		},
		"a skill and stdin": {
			stdin: "Fetch it", args: []string{"--skill", "fetch_url", "--file", "-"},
			want: object{"route": object{"skill": "fetch_url"}, "message": text("Fetch it")},
		},
		"a text file": {
			args: []string{"--agent", "a", "--file", note},
			want: object{"route": object{"agent": "a"}, "message": object{"role": "ROLE_USER", "parts": []any{object{"text": "read me", "filename": "note.txt"}}}},
		},
		"a file that is no text": {
			args: []string{"--agent", "a", "--file", blob},
			want: object{"route": object{"agent": "a"}, "message": object{"role": "ROLE_USER", "parts": []any{object{"raw": "/wA=", "filename": "blob.bin"}}}},
		},
		"a text that says where to": {
			args: []string{"--route-text", "read a page", "--text", "x"},
			want: object{"route": object{"text": "read a page"}, "message": text("x")},
		},
		"a contract and inputs": {
			args: []string{"--have", "spec:document", "--have", "style", "--want", "artifact", "--text", "x", "--input", "spec=s", "--input", "n=7"},
			want: object{
				"route": object{"contract": object{
					"inputs": []any{object{"name": "spec", "semanticType": "document"}, object{"name": "style"}}, "output": object{"semanticType": "artifact"},
				}},
				"message": text("x"), "inputs": []any{object{"name": "n", "value": 7.0}, object{"name": "spec", "value": "s"}},
			},
		},
		"values that are JSON": {
			args: []string{"--agent", "a", "--text", "x", "--attr", `regions=["eu",1]`, "--attr", `quoted="[1]"`, "--attr", "broken=[1", "--input", `o={"a":[true,null]}`},
			want: object{
				"route": object{"agent": "a"}, "message": text("x"), "attributes": object{"regions": []any{"eu", 1.0}, "quoted": "[1]", "broken": "[1"},
				"inputs": []any{object{"name": "o", "value": object{"a": []any{true, nil}}}},
			},
		},
		"several agents": {
			args: []string{"--skill", "s", "--text", "x", "--fan-out", "2", "--agents", "4", "--agent-version", "^1.2"},
			want: object{"route": object{"skill": "s", "version": "^1.2", "fanOut": object{"mode": "k_of_n", "k": 2.0, "agents": 4.0}}, "message": text("x")},
		},
		"all of several agents": {
			args: []string{"--skill", "s", "--text", "x", "--fan-out", "all", "--agents", "3"},
			want: object{"route": object{"skill": "s", "fanOut": object{"mode": "all", "agents": 3.0}}, "message": text("x")},
		},
		"words that are types": {
			args: []string{"--have", "document", "--have", "collection", "--have", "reference", "--have", "comment", "--want", "page", "--text", "x"},
			want: object{
				"route": object{"contract": object{
					"inputs": []any{
						object{"semanticType": "document"}, object{"semanticType": "collection"}, object{"semanticType": "reference"}, object{"semanticType": "comment"},
					}, "output": object{"name": "page"},
				}},
				"message": text("x"),
			},
		},
		"any of several agents": {
			args: []string{"--route-text", "s", "--text", "x", "--fan-out", "any"},
			want: object{"route": object{"text": "s", "fanOut": object{"mode": "any"}}, "message": text("x")},
		},
		"a message": {
			stdin: `{"message_id":"m","parts":[{"data":{"n":1}}]}`, args: []string{"--agent", "a", "-f", "-"},
			want: object{"route": object{"agent": "a"}, "message": object{"messageId": "m", "parts": []any{object{"data": object{"n": 1.0}}}}},
		},
		"attributes": {
			args: []string{"--agent", "a", "--text", "x", "--attr", " b =true", "--attr", "n=7.5", "--attr", `q="7"`, "--attr", "s=a,b=c", "--attr", "l=[1]", "--attr", "e=", "--attr", "z=null"},
			want: object{
				"route": object{"agent": "a"}, "message": text("x"),
				"attributes": object{"b": true, "n": 7.5, "q": "7", "s": "a,b=c", "l": []any{1.0}, "e": "", "z": nil},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/tasks": answer(blockedTask)})
			exit, stdout, stderr := g.run(t, test.stdin, append([]string{"tasks", "submit", "--request-id", "r1"}, test.args...)...)
			if exit != 0 || !strings.HasPrefix(stdout, "Task        t1\n") || !strings.Contains(stderr, "quorate tasks watch t1") {
				t.Fatalf("Main(tasks submit %q) = %d, %q, %q, want 0 and the task", test.args, exit, stdout, stderr)
			}
			test.want["requestId"] = "r1"
			if diff := cmp.Diff(test.want, sent(t, g, 0)); diff != "" {
				t.Errorf("tasks submit %q sent (-want +got):\n%s", test.args, diff)
			}
		})
	}
}

func TestSubmitSetsADeadline(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/tasks": answer(blockedTask)})
	before := time.Now()
	g.run(t, "", "tasks", "submit", "--agent", "a", "--text", "x", "--deadline", "10m")
	text, _ := sent(t, g, 0)["deadline"].(string)
	deadline, err := time.Parse(time.RFC3339, text)
	if err != nil || deadline.Before(before.Add(10*time.Minute)) || deadline.After(time.Now().Add(10*time.Minute)) {
		t.Errorf("tasks submit --deadline 10m sent deadline %q, want 10 minutes from now", text)
	}
}

func TestSubmitAsksAgainWithTheSameRequestID(t *testing.T) {
	t.Parallel()
	lost := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/tasks": append([]http.HandlerFunc{lost}, answer(blockedTask)...)})
	exit, _, stderr := g.run(t, "", "tasks", "submit", "--agent", "a", "--text", "x")
	if exit != 0 || len(g.seen()) != 2 {
		t.Fatalf("Main(tasks submit) = %d, %q after %d requests, want 0 after 2", exit, stderr, len(g.seen()))
	}
	first, second := sent(t, g, 0)["requestId"], sent(t, g, 1)["requestId"]
	if id, _ := first.(string); id == "" || first != second {
		t.Errorf("tasks submit sent the request ids %v and %v, want one", first, second)
	}
}

func TestInputThatCannotBeRight(t *testing.T) {
	t.Parallel()
	card := write(t, "card.json", `{"name":"a"}`)
	tests := map[string]struct {
		stdin string
		args  []string
		exit  int
		want  string
	}{
		"a message with an unknown field": {`{"txt":1}`, []string{"tasks", "submit", "--agent", "a", "-f", "-"}, 6, `unknown field "txt"`},
		"a message that is no JSON":       {`<html>`, []string{"tasks", "submit", "--agent", "a", "-f", "-"}, 6, "INPUT_INVALID"},
		"a file of 20 MB":                 {strings.Repeat("x", 20<<20), []string{"tasks", "submit", "--agent", "a", "--file", "-"}, 6, "INPUT_TOO_LARGE"},
		"a file that is not there":        {"", []string{"tasks", "submit", "--agent", "a", "--file", "/no/such"}, 6, "/no/such"},
		"metadata with an unknown field":  {`{"rules":[]}`, []string{"agents", "register", "-f", card, "--metadata", "-"}, 6, `unknown field "rules"`},
		"a card that is empty":            {" \n", []string{"agents", "register", "-f", "-"}, 6, ": stdin is empty (INPUT_INVALID)"},
		"a card with a byte order mark":   {"\ufeff{}", []string{"agents", "register", "-f", "-"}, 6, ": stdin begins with a byte order mark; save it as UTF-8 without one"},
		"a card that is a list":           {`[]`, []string{"agents", "register", "-f", "-"}, 6, "INPUT_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, nil)
			exit, stdout, stderr := g.run(t, test.stdin, test.args...)
			if exit != test.exit || stdout != "" || !strings.Contains(stderr, test.want) || len(g.seen()) != 0 {
				t.Errorf("Main(%q) = %d, %q, %q, want %d and %q without a request", test.args, exit, stdout, stderr, test.exit, test.want)
			}
		})
	}
}

// TestASubmissionWithoutAnAnswerCanBeRepeated loses the answer: the task may be there, and the same command would make another one.
func TestASubmissionWithoutAnAnswerCanBeRepeated(t *testing.T) {
	t.Parallel()
	const hint = "it may have been accepted; the same with --request-id r1 is done once\n"
	tests := map[string]struct {
		answer http.HandlerFunc
		exit   int
		told   bool
	}{
		"a connection that breaks": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 9, true},
		"a proxy that gives up":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, 9, true},
		"an interrupt":             {nil, 130, true},
		"a refusal":                {refuse(http.StatusBadRequest, 3, "INPUT_MISSING", "no url"), 6, false},
	}
	for name, test := range tests {
		for verb, route := range map[string]string{"submit --agent a": "POST /v1/tasks", "reply t1": "POST /v1/tasks/t1:reply"} {
			t.Run(name+", "+verb, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				handler := test.answer
				if handler == nil {
					handler = func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }
				}
				g := newGateway(t, map[string][]http.HandlerFunc{route: {handler}})
				args := append([]string{"tasks"}, strings.Fields(verb)...)
				exit, _, stderr := run(ctx, "", append(args, "--text", "x", "--request-id", "r1", "--server", g.url, "--token-file", g.token)...)
				if exit != test.exit || strings.HasPrefix(stderr, hint) != test.told {
					t.Errorf("Main(tasks %s) = %d, %q, want %d, and how to repeat it: %v", verb, exit, stderr, test.exit, test.told)
				}
			})
		}
	}
	args := []string{"tasks", "submit", "--agent", "a", "--text", "x", "--token-file", write(t, "token", "x"), "--server", "http://127.0.0.1:1"}
	if exit, _, stderr := run(t.Context(), "", args...); exit != 9 || strings.Contains(stderr, "may have been accepted") {
		t.Errorf("Main(tasks submit) to nobody = %d, %q, want 9 and no doubt", exit, stderr)
	}
}

func TestARouteThatIsRefusedIs3(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/routes:resolve": answer(`{"refused":"no agent has the skill"}`)})
	for _, format := range []string{"table", "json"} {
		exit, stdout, stderr := g.run(t, "", "routes", "resolve", "--skill", "s", "-o", format)
		if exit != 3 || !strings.Contains(stdout, "no agent has the skill") || stderr != "" {
			t.Errorf("Main(routes resolve -o %s) = %d, %q, %q, want 3 and why", format, exit, stdout, stderr)
		}
	}
}

func TestTheDryRunTakesTheTextThatIsRoutedByAsSubmitDoes(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--route-text", "--text"} { // --text as it was called first
		g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/routes:resolve": answer(`{"chosen":"a"}`)})
		exit, _, stderr := g.run(t, "", "routes", "resolve", flag, "read a page")
		if exit != 0 {
			t.Fatalf("Main(routes resolve %s) = %d, %q, want 0", flag, exit, stderr)
		}
		if diff := cmp.Diff(map[string]any{"route": map[string]any{"text": "read a page"}}, sent(t, g, 0)); diff != "" {
			t.Errorf("routes resolve %s sent (-want +got):\n%s", flag, diff)
		}
	}
}

func TestTheDryRunChecksWhatSubmitWouldSend(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/routes:resolve": answer(`{"chosen":"a"}`)})
	exit, _, stderr := g.run(t, "read a page", "routes", "resolve", "--skill", "s", "--input", "url=https://example.com", "--input", "depth=2", "--file", "-")
	if exit != 0 {
		t.Fatalf("Main(routes resolve) = %d, %q, want 0", exit, stderr)
	}
	want := map[string]any{
		"route": map[string]any{"skill": "s"}, "message": map[string]any{"role": "ROLE_USER", "parts": []any{map[string]any{"text": "read a page"}}},
		"inputs": []any{map[string]any{"name": "depth", "value": 2.0}, map[string]any{"name": "url", "value": "https://example.com"}},
	}
	if diff := cmp.Diff(want, sent(t, g, 0)); diff != "" {
		t.Errorf("routes resolve sent (-want +got):\n%s", diff)
	}
	for _, args := range [][]string{{"--input", "url"}, {"--file", "-", "--message", "-"}} {
		if exit, _, stderr := g.run(t, "", append([]string{"routes", "resolve", "--skill", "s"}, args...)...); exit != 2 {
			t.Errorf("Main(routes resolve %q) = %d, %q, want 2", args, exit, stderr)
		}
	}
}
