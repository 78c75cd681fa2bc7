package cli_test

import (
	"net/http"
	"testing"
)

const exported = `{"name":"a","card":{"name":"a","n":1.5},"cardUri":"https://a.example/card","metadata":{"outputSchemas":[{"name":"o","semanticType":"document"}]},"status":{"status":"available"},"etag":"e"}`

func TestExportWritesWhatApplyReads(t *testing.T) {
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
