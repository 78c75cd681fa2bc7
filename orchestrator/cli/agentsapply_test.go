package cli_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestApplyAppliesEachDocument(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {
		answer(`{"agent":{"name":"a"},"outcome":"created","warnings":[{"code":"SKILLS_EMPTY","message":"no skills","field":"card.skills"}]}`)[0],
		refuse(http.StatusBadRequest, 3, "CARD_INVALID", "card.name: the name is not valid"),
		answer(`{"agent":{"name":"c"},"outcome":"unchanged"}`)[0],
	}})
	input := `{"card":{"name":"a"}}` + "\n\n" + `{"card":{"name":"b c"}}` + "\n" + `{"cards":1}` + "\n" + `{"cardUri":"https://c.example"}`
	exit, stdout, stderr := g.run(t, input, "agents", "apply", "-")
	if exit != 6 || stdout != "created a\nunchanged c\n" {
		t.Errorf("Main(agents apply -) = %d, %q, want 6 and what was done", exit, stdout)
	}
	for _, want := range []string{
		"warning: a: card.skills: no skills (SKILLS_EMPTY)\n", "stdin, document 2: card.name: the name is not valid", "stdin, document 3: ", `unknown field "cards"`,
		"created 1, replaced 0, unchanged 1, refused 2\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("Main(agents apply -) says %q, want %q in it", stderr, want)
		}
	}
	if seen := g.seen(); len(seen) != 3 || !strings.Contains(seen[0], `"requestId":`) || !strings.Contains(seen[2], "https://c.example") {
		t.Errorf("agents apply sent %q, want three requests that can be repeated", seen)
	}
}

// TestApplyNamesPlacesOfTheFileOnly has a mistake in YAML, which is read as one line of JSON, and one in JSON.
func TestApplyNamesPlacesOfTheFileOnly(t *testing.T) {
	t.Parallel()
	g := newGateway(t, nil)
	for input, want := range map[string]string{
		"name: a\nmetadata:\n  inputs: []\n":     "stdin, document 1: unknown field \"inputs\"\n",
		"{\n\"name\": \"a\",\n\"cards\": 1\n}\n": "stdin, document 1: (line 3:1): unknown field \"cards\"\n",
		"{\n\"name\": \"a\",\n}\n":               "stdin, document 1: (line 3:1): invalid character '}' looking for beginning of object key string; the rest is not read\n",
		"{\"cards\": 1}\n\n{\n\"é\": oops}":      "stdin, document 1: unknown field \"cards\"\nstdin, document 2: (line 2:6): invalid character 'o' looking for beginning of value; the rest is not read\n",
		"{\n\"name\": \"a\"\n":                   "stdin, document 1: unexpected EOF; the rest is not read\n",
	} {
		if _, _, stderr := g.run(t, input, "agents", "apply", "-"); !strings.HasPrefix(strings.ReplaceAll(stderr, "\u00a0", " "), want) {
			t.Errorf("Main(agents apply -) of %q says %q, want %q", input, stderr, want)
		}
	}
}

func TestApplyOnlyChecks(t *testing.T) {
	t.Parallel()
	file := write(t, "agents.jsonl", `{"card":{"name":"a"}}`+"\n")
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": answer(`{"agent":{"name":"a"},"outcome":"replaced"}`)})
	exit, stdout, stderr := g.run(t, "", "agents", "apply", file, "--validate-only", "-o", "json")
	if exit != 0 || stdout != `{"agent":{"name":"a"},"outcome":"replaced","warnings":[]}`+"\n" || !strings.Contains(stderr, "nothing was written") {
		t.Errorf("Main(agents apply --validate-only) = %d, %q, %q, want 0 and the answer", exit, stdout, stderr)
	}
	if seen := g.seen(); len(seen) != 1 || !strings.Contains(seen[0], `"validateOnly":true`) {
		t.Errorf("agents apply --validate-only sent %q, want validateOnly", seen)
	}
}

func TestApplyRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	g := newGateway(t, nil)
	for name, test := range map[string]struct {
		stdin string
		args  []string
		want  int
	}{
		"a file that is not there": {"", []string{"/nowhere"}, 6},
		"a line without end":       {strings.Repeat("x", 3<<20), []string{"-"}, 6},
		"no file":                  {"", nil, 2},
		"a folder without agents":  {"", []string{t.TempDir()}, 6},
		"a key that occurs twice":  {"name: a\nname: b\n", []string{"-"}, 6},
		"a list":                   {"- name: a\n", []string{"-"}, 6},
		"JSON that breaks off":     {`{"cardUri":`, []string{"-"}, 6},
		"a number that is none":    {"card: {n: .nan}\n", []string{"-"}, 6},
	} {
		if exit, stdout, stderr := g.run(t, test.stdin, append([]string{"agents", "apply"}, test.args...)...); exit != test.want || stdout != "" {
			t.Errorf("Main(agents apply) with %s = %d, %q, %q, want %d", name, exit, stdout, stderr, test.want)
		}
	}
}

func TestApplyReadsAFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"a.yaml":          "# two agents and nothing\nname: a\ncardUri: https://a.example\nmetadata:\n  input_schemas: []\n---\n---\ncard: {name: b, since: 2026-01-02, 1: one}\n",
		"team/c.json":     `{"name":"c","skills":[]}`,
		"team/d.yml":      "cardUri: https://d.example\n",
		"team/.git/x.yml": "nonsense",
		".hidden.json":    "nonsense",
		"README.md":       "nonsense",
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.yaml", filepath.Join(folder, "z.yaml")); err != nil { // as a folder that Kubernetes mounts
		t.Fatal(err)
	}
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": answer(
		`{"agent":{"name":"a"},"outcome":"created"}`, `{"agent":{"name":"b"},"outcome":"created"}`, `{"agent":{"name":"c"},"outcome":"created"}`,
		`{"agent":{"name":"d"},"outcome":"created"}`)})
	exit, stdout, stderr := g.run(t, "", "agents", "apply", folder)
	if exit != 6 || stdout != "created a\ncreated b\ncreated c\ncreated d\n" {
		t.Errorf("Main(agents apply FOLDER) = %d, %q, %q, want 6, four agents", exit, stdout, stderr)
	}
	if want := `z.yaml, document 1: agent "a" is already described in `; !strings.Contains(stderr, want) || !strings.Contains(stderr, "created 4, replaced 0, unchanged 0, refused 2\n") {
		t.Errorf("Main(agents apply FOLDER) says %q, want %q, and two refused", stderr, want)
	}
	seen := strings.Join(g.seen(), "\n")
	for _, want := range []string{`"metadata":{}`, `"card":{"1":"one","name":"b","since":"2026-01-02"}`, `"cardJson":"{\"name\":\"c\",\"skills\":[]}"`} {
		if !strings.Contains(seen, want) {
			t.Errorf("agents apply sent %s, want %s in it", seen, want)
		}
	}
}

func TestApplyShowsWhatWouldChange(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"POST /v1/agents:apply": answer(`{"agent":{"name":"a","card":{"version":"2.0.0","skills":[{"id":"x"}],"long":"` + strings.Repeat("x", 99) + `"},"metadata":{},"etag":"2"},"outcome":"replaced"}`),
		"GET /v1/agents/a":      answer(`{"name":"a","card":{"version":"1.0.0","skills":[{"id":"x"},{"id":"y"}]},"metadata":{"atMostOnceSkills":["x"]},"etag":"1"}`),
	})
	exit, stdout, stderr := g.run(t, "cardUri: https://a.example", "agents", "apply", "-", "--validate-only")
	want := "replaced a\n  card.long: added \"" + strings.Repeat("x", 58) + "…\n  card.skills[1]: removed {\"id\":\"y\"}\n  card.version: \"1.0.0\" -> \"2.0.0\"\n" +
		"  metadata.atMostOnceSkills: removed [\"x\"]\n"
	if exit != 0 || stdout != want {
		t.Errorf("Main(agents apply --validate-only) = %d, %q, %q, want 0, %q", exit, stdout, stderr, want)
	}
}

func TestApplyRepeatsWhatNamesAgentsThatComeLater(t *testing.T) {
	t.Parallel()
	unknown := refuse(http.StatusBadRequest, 3, "TARGET_AGENT_UNKNOWN", "no agent is named that")
	created := answer(`{"agent":{"name":"b"},"outcome":"created"}`, `{"agent":{"name":"a"},"outcome":"created"}`)
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {unknown, unknown, created[0], created[1], unknown}})
	exit, stdout, stderr := g.run(t, "name: a\n---\nname: c\n---\nname: b\n", "agents", "apply", "-")
	if exit != 6 || stdout != "created b\ncreated a\n" || strings.Count(stderr, "no agent is named that") != 1 {
		t.Errorf("Main(agents apply) = %d, %q, %q, want 6, b before a, and c refused once", exit, stdout, stderr)
	}
	if seen := g.seen(); len(seen) != 6 {
		t.Errorf("agents apply sent %q, want 6 requests", seen)
	}
}

func TestApplyEndsWhereItCannotGoOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		exit   int
	}{
		"a token that is not valid": {refuse(http.StatusUnauthorized, 16, "TOKEN_INVALID", "the bearer token is not valid"), 4},
		"a server that is away":     {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 9},
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {test.answer}})
		exit, _, stderr := g.run(t, "name: first\n---\nname: second\n", "agents", "apply", "-")
		if exit != test.exit || strings.Contains(strings.Join(g.seen(), " "), "second") {
			t.Errorf("Main(agents apply) with %s = %d, %q after %q, want %d after the first agent", name, exit, stderr, g.seen(), test.exit)
		}
	}
}

// TestApplyTakesAnyNumberOfLargeDocuments has more in the file than one document may have.
func TestApplyTakesAnyNumberOfLargeDocuments(t *testing.T) {
	t.Parallel()
	for form, document := range map[string]func(name string, size int) string{
		"JSON": func(name string, size int) string {
			return `{"name":"` + name + `","card":{"x":"` + strings.Repeat("x", size) + `"}}`
		},
		"YAML": func(name string, size int) string {
			return "name: " + name + "\ncard: {x: " + strings.Repeat("x", size) + "}\n---\n"
		},
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": answer(`{"agent":{"name":"a"},"outcome":"created"}`, `{"agent":{"name":"b"},"outcome":"created"}`)})
		exit, stdout, stderr := g.run(t, document("a", 3<<19)+document("b", 3<<19)+document("c", 5<<20), "agents", "apply", "-")
		if exit != 6 || stdout != "created a\ncreated b\n" || !strings.Contains(stderr, "document 3: ") || !strings.Contains(stderr, "it is longer than 2097152 bytes; the rest is not read\n") {
			t.Errorf("Main(agents apply) of %s = %d, %q, %q, want 6, both agents, and that the third is too long", form, exit, stdout, stderr)
		}
	}
}

// TestApplyOnlyChecksWhatNamesAgentsThatComeLater has a strict server refuse two agents for the first and for the second of their rules.
func TestApplyOnlyChecksWhatNamesAgentsThatComeLater(t *testing.T) {
	t.Parallel()
	unknown := func(rule string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":3,"message":"no such agent","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TARGET_AGENT_UNKNOWN","domain":"quorate"},`+
				`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"metadata.consultation_requirements[`+rule+`].target_agent"}]}]}`)
		}
	}
	const rules = "metadata: {consultation_requirements: [{id: r, target_agent: c}, {id: s, target_agent: nobody}]}\n---\n"
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {unknown("0"), unknown("1"), answer(`{"agent":{"name":"c"},"outcome":"created"}`)[0]}})
	exit, stdout, stderr := g.run(t, "name: a\n"+rules+"name: b\n"+rules+"name: c\n", "agents", "apply", "-", "--validate-only")
	if exit != 6 || stdout != "created c\n" || !strings.Contains(stderr, `document 1: not checked until agent "c" is there, which the input describes`) ||
		!strings.Contains(stderr, "document 2: no such agent") || !strings.Contains(stderr, "refused 1\n") || len(g.seen()) != 3 {
		t.Errorf("Main(agents apply --validate-only) = %d, %q, %q, want 6, a that waits for c, and b refused", exit, stdout, stderr)
	}
}

func TestApplySaysAllThatIsWrongWithAnAgent(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"code":3,"message":"card.name: is missing (the first of 2 mistakes)","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CARD_INVALID","domain":"quorate"},`+
			`{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"card.name","description":"is missing"},{"field":"card.version","description":"is no version"}]}]}`)
	}}})
	exit, _, stderr := g.run(t, "card: {}", "agents", "apply", "-")
	if want := "stdin, document 1: card.name: is missing (the first of 2 mistakes)\n  field: card.name\n  field: card.version: is no version\n"; exit != 6 || !strings.Contains(stderr, want) {
		t.Errorf("Main(agents apply) = %d, %q, want 6, %q", exit, stderr, want)
	}
}

func TestApplyRefusesAnInputWithoutAgents(t *testing.T) {
	t.Parallel()
	for _, stdin := range []string{"", "\n", "# all agents are gone\n---\n"} {
		g := newGateway(t, nil)
		exit, stdout, stderr := g.run(t, stdin, "agents", "apply", "-")
		if exit != 6 || stdout != "" || stderr != "quorate agents apply: there is no agent in the input (INPUT_INVALID)\n" || len(g.seen()) != 0 {
			t.Errorf("Main(agents apply -) of %q = %d, %q, %q after %q, want that there is no agent in it", stdin, exit, stdout, stderr, g.seen())
		}
	}
}

func TestApplyPrunesWhatIsNotDescribed(t *testing.T) {
	t.Parallel()
	const list = `{"agents":[{"name":"a","source":{"type":"api","present":true}},{"name":"old","etag":"e1","source":{"type":"api","present":true}},` +
		`{"name":"found","source":{"type":"folder","present":true}},{"name":"gone","etag":"e2","source":{"type":"folder"}}]}`
	applied := answer(`{"agent":{"name":"a"},"outcome":"unchanged"}`)
	tests := map[string]struct {
		stdin, stdout, says string
		exit, deletes       int
		apply               []http.HandlerFunc
		more                []string
	}{
		"what is not described":           {"cardUri: https://a.example", "unchanged a\ndeleted old\ndeleted gone\n", "unchanged 1, deleted 2, refused 0", 0, 2, applied, nil},
		"nothing when it only checks":     {"cardUri: https://a.example", "unchanged a\ndeleted old\ndeleted gone\n", "nothing was written", 0, 0, applied, []string{"--validate-only"}},
		"nothing when there is a mistake": {"cardURL: https://a.example", "", "nothing is deleted", 6, 0, applied, nil},
		"nothing when there is no input":  {"", "", "there is no agent in the input", 6, 0, applied, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"POST /v1/agents:apply": test.apply, "GET /v1/agents": answer(list),
				"DELETE /v1/agents/old": answer("{}"), "DELETE /v1/agents/gone": answer("{}"),
			})
			exit, stdout, stderr := g.run(t, test.stdin, append([]string{"agents", "apply", "-", "--prune", "tags:x"}, test.more...)...)
			if exit != test.exit || stdout != test.stdout || !strings.Contains(stderr, test.says) {
				t.Errorf("Main(agents apply --prune) = %d, %q, %q, want %d, %q, %q", exit, stdout, stderr, test.exit, test.stdout, test.says)
			}
			if lists := strings.Join(g.seen(), " "); strings.Count(lists, "GET /v1/agents?") != strings.Count(lists, "GET /v1/agents?filter=tags%3Ax&") {
				t.Errorf("agents apply --prune sent %q, want it to ask for no other agents than those with tags:x", g.seen())
			}
			deletes := 0
			for _, request := range g.seen() {
				if strings.HasPrefix(request, "DELETE ") {
					deletes++
				}
			}
			if deletes != test.deletes || deletes > 0 && !strings.Contains(strings.Join(g.seen(), " "), "old?etag=e1&request_id=") {
				t.Errorf("agents apply --prune sent %q, want %d agents deleted as they were listed", g.seen(), test.deletes)
			}
		})
	}
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents": {refuse(http.StatusBadRequest, 3, "FILTER_INVALID", "no field x")}})
	if exit, _, _ := g.run(t, "cardUri: https://a.example", "agents", "apply", "-", "--prune", "x=1"); exit != 6 || len(g.seen()) != 1 {
		t.Errorf("Main(agents apply --prune x=1) = %d after %q, want 6 before anything is written", exit, g.seen())
	}
}

// later refuses a call for now.
func later(reason, delay string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"code":8,"message":"slower","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`+reason+`","domain":"quorate"},`+
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`+delay+`"}]}`)
	}
}

func TestApplyKeepsToTheRateThatItsCallerMayHave(t *testing.T) {
	t.Parallel()
	done := answer(`{"agent":{"name":"a"},"outcome":"created"}`, `{"agent":{"name":"b"},"outcome":"created"}`)
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {done[0], later("RATE_LIMITED", "0.005s"), later("RATE_LIMITED", "0.005s"), done[1]}})
	exit, stdout, stderr := g.run(t, "name: a\n---\nname: b\n", "agents", "apply", "-")
	if exit != 0 || stdout != "created a\ncreated b\n" || len(g.seen()) != 4 {
		t.Errorf("Main(agents apply) = %d, %q, %q after %d requests, want 0 and both agents after 4", exit, stdout, stderr, len(g.seen()))
	}
	g = newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents/a": {later("RATE_LIMITED", "3600s")}})
	if exit, _, stderr := g.run(t, "", "agents", "get", "a"); exit != 9 || !strings.Contains(stderr, "again in 1h0m0s") || len(g.seen()) != 1 {
		t.Errorf("Main(agents get) = %d, %q, want 9 at once: nobody waits for an hour", exit, stderr)
	}
	g = newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents/a:drain": {later("STORE_BUSY", "0.4s")}})
	if exit, _, stderr := g.run(t, "", "agents", "drain", "a"); exit != 9 || !strings.Contains(stderr, "again in 1s") || len(g.seen()) != 1 {
		t.Errorf("Main(agents drain) = %d, %q after %d requests, want 9 after one: what is no limit may have been begun", exit, stderr, len(g.seen()))
	}
}

func TestApplyPrunesTheOthersIfOneHasChanged(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"POST /v1/agents:apply":     answer(`{"agent":{"name":"a"},"outcome":"unchanged"}`),
		"GET /v1/agents":            answer(`{"agents":[{"name":"changed","source":{"type":"api"}},{"name":"gone","source":{"type":"api"}},{"name":"old","source":{"type":"api"}}]}`),
		"DELETE /v1/agents/changed": {refuse(http.StatusConflict, 10, "ETAG_MISMATCH", "it has changed")},
		"DELETE /v1/agents/gone":    {refuse(http.StatusNotFound, 5, "AGENT_NOT_FOUND", "no agent is named that")},
		"DELETE /v1/agents/old":     answer("{}"),
	})
	exit, stdout, stderr := g.run(t, "name: a", "agents", "apply", "-", "--prune", "tags:x")
	if want := "changed: it has changed\ncreated 0, replaced 0, unchanged 1, deleted 1, refused 1\n"; exit != 6 || stdout != "unchanged a\ndeleted old\n" || stderr != want {
		t.Errorf("Main(agents apply --prune) = %d, %q, %q, want 6, %q", exit, stdout, stderr, want)
	}
}
