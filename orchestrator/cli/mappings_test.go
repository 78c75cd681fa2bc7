package cli_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMappingsCommands(t *testing.T) {
	t.Parallel()
	const mapping = `{"name":"document-comment","fromType":"document","toType":"comment","description":"it is read aloud","createTime":"2026-01-16T12:00:00Z"}`
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/semanticMappings":                     answer(`{"semanticMappings":[`+mapping+`]}`, `{}`),
		"POST /v1/semanticMappings":                    answer(mapping),
		"DELETE /v1/semanticMappings/document-comment": answer(`{}`),
	})
	tests := []struct {
		args      []string
		exit      int
		out, note string
	}{
		{[]string{"mappings", "list"}, 0, "document  comment  2026-01-16T12:00:00Z  it is read aloud", ""},
		{[]string{"mappings", "list"}, 0, "", "no mappings"},
		{[]string{"mappings", "add", "document", "comment", "--description", "it is read aloud"}, 0, "document  comment  added", ""},
		{[]string{"mappings", "remove", "document", "comment"}, 0, "document  comment  removed", ""},
		{[]string{"mappings", "remove", "document", "artifact"}, 3, "", ""},
		{[]string{"mappings", "add", "document"}, 2, "", "takes the arguments FROM TO, got 1"},
	}
	for _, test := range tests {
		exit, out, notes := g.run(t, "", test.args...)
		if exit != test.exit || !strings.Contains(out, test.out) || !strings.Contains(notes, test.note) {
			t.Errorf("%q = %d %q %q, want exit code %d, %q and %q", test.args, exit, out, notes, test.exit, test.out, test.note)
		}
	}
	want := map[string]any{"fromType": "document", "toType": "comment", "description": "it is read aloud"}
	if diff := cmp.Diff(want, sent(t, g, 2)); diff != "" {
		t.Errorf("mappings add sent (-want +got):\n%s", diff)
	}
}
