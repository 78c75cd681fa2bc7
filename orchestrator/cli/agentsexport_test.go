package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

const exported = `{"name":"a","card":{"name":"a","n":1.5},"cardUri":"https://a.example/card","metadata":{"outputSchemas":[{"name":"o","semanticType":"document"}]},"status":{"status":"available"},"etag":"e"}`

func TestExportWritesWhatImportReads(t *testing.T) {
	t.Parallel()
	const metadata = `"metadata":{"outputSchemas":[{"name":"o","semanticType":"document"}]}`
	tests := map[string]struct {
		args []string
		want string
	}{
		"all agents, page by page": {nil, `{"card":{"n":1.5,"name":"a"},` + metadata + "}\n" + `{"card":{"name":"b"}}` + "\n"},
		"by URL":                   {[]string{"--by-url"}, `{"cardUri":"https://a.example/card",` + metadata + "}\n" + `{"card":{"name":"b"}}` + "\n"},
		"one by name":              {[]string{"a"}, `{"card":{"n":1.5,"name":"a"},` + metadata + "}\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"GET /v1/agents/a": answer(exported),
				"GET /v1/agents":   answer(`{"agents":[`+exported+`],"nextPageToken":"2"}`, `{"agents":[{"name":"b","card":{"name":"b"}}]}`),
			})
			exit, stdout, stderr := g.run(t, "", append([]string{"agents", "export"}, test.args...)...)
			if exit != 0 || stdout != test.want || stderr != "" {
				t.Errorf("Main(agents export %q) = %d, %q, %q, want 0, %q", test.args, exit, stdout, stderr, test.want)
			}
		})
	}
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/agents/b": answer(`{"name":"b","card":{"name":"B 2"}}`)})
	if exit, stdout, _ := g.run(t, "", "agents", "export", "b"); exit != 0 || stdout != `{"card":{"name":"B 2"},"name":"b"}`+"\n" {
		t.Errorf("Main(agents export b) = %d, %q, want its own name beside the card", exit, stdout)
	}
	g = newGateway(t, nil)
	if exit, stdout, _ := g.run(t, "", "agents", "export", "nobody"); exit != 3 || stdout != "" {
		t.Errorf("Main(agents export nobody) = %d, %q, want 3 and nothing", exit, stdout)
	}
}

func TestImportAppliesEachLine(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": {
		answer(`{"agent":{"name":"a"},"outcome":"created","warnings":[{"code":"SKILLS_EMPTY","message":"no skills","field":"card.skills"}]}`)[0],
		refuse(http.StatusBadRequest, 3, "CARD_INVALID", "card.name: the name is not valid"),
		answer(`{"agent":{"name":"c"},"outcome":"unchanged"}`)[0],
	}})
	input := `{"card":{"name":"a"}}` + "\n\n" + `{"card":{"name":"b c"}}` + "\n" + `{"cards":1}` + "\n" + `{"cardUri":"https://c.example"}`
	exit, stdout, stderr := g.run(t, input, "agents", "import", "-")
	if exit != 6 || stdout != "created a\nunchanged c\n" {
		t.Errorf("Main(agents import -) = %d, %q, want 6 and what was done", exit, stdout)
	}
	for _, want := range []string{
		"warning: a: card.skills: no skills (SKILLS_EMPTY)\n", "line 3: card.name: the name is not valid", "line 4: ", `unknown field "cards"`,
		"created 1, replaced 0, unchanged 1, refused 2\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("Main(agents import -) says %q, want %q in it", stderr, want)
		}
	}
	if seen := g.seen(); len(seen) != 3 || !strings.Contains(seen[0], `"requestId":`) || !strings.Contains(seen[2], "https://c.example") {
		t.Errorf("agents import sent %q, want three requests that can be repeated", seen)
	}
}

func TestImportOnlyChecks(t *testing.T) {
	t.Parallel()
	file := write(t, "agents.jsonl", `{"card":{"name":"a"}}`+"\n")
	g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/agents:apply": answer(`{"agent":{"name":"a"},"outcome":"replaced"}`)})
	exit, stdout, stderr := g.run(t, "", "agents", "import", file, "--validate-only", "-o", "json")
	if exit != 0 || stdout != `{"agent":{"name":"a"},"outcome":"replaced"}`+"\n" || !strings.Contains(stderr, "nothing was written") {
		t.Errorf("Main(agents import --validate-only) = %d, %q, %q, want 0 and the answer", exit, stdout, stderr)
	}
	if seen := g.seen(); len(seen) != 1 || !strings.Contains(seen[0], `"validateOnly":true`) {
		t.Errorf("agents import --validate-only sent %q, want validateOnly", seen)
	}
}

func TestImportRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	g := newGateway(t, nil)
	for name, test := range map[string]struct {
		stdin string
		args  []string
		want  int
	}{
		"a file that is not there": {"", []string{"/nowhere"}, 1},
		"a line without end":       {strings.Repeat("x", 3<<20), []string{"-"}, 6},
		"no file":                  {"", nil, 2},
	} {
		if exit, stdout, stderr := g.run(t, test.stdin, append([]string{"agents", "import"}, test.args...)...); exit != test.want || stdout != "" {
			t.Errorf("Main(agents import) with %s = %d, %q, %q, want %d", name, exit, stdout, stderr, test.want)
		}
	}
}
