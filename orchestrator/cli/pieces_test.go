package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestPiecesOfATextAreReadAsOne has an artifact with a part for every piece that a model said.
func TestPiecesOfATextAreReadAsOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ parts, want string }{
		"pieces":         {`{"text":"Pi"},{"text":" is 3"},{"text":"."},{"text":"14, "},{"text":"abo"},{"text":"ut"}`, "Pi is 3.14, about\n"},
		"lines":          {`{"text":"one\ntw"},{"text":"o\n"},{"text":"three"}`, "one\ntwo\nthree\n"},
		"a file between": {`{"text":"before"},{"text":"x","filename":"x.txt"},{"text":"after"}`, "before\nx\nafter\n"},
		"data between":   {`{"text":"before"},{"data":{"a":1}},{"text":"af"},{"text":"ter"}`, "before\n{\"a\":1}\nafter\n"},
		"one text":       {`{"text":"Pi."}`, "Pi.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := `{"id":"t1","state":"TASK_STATE_COMPLETED","phase":"done","artifacts":[{"artifactId":"a","parts":[` + test.parts + `]}]}`
			g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/tasks/t1": answer(task)})
			if exit, stdout, stderr := g.run(t, "", "tasks", "get", "t1"); exit != 0 || !strings.HasSuffix(stdout, "\nArtifact a\n"+test.want) {
				t.Errorf("Main(tasks get) = %d, %q, %q, want 0 and at the end %q", exit, stdout, stderr, test.want)
			}
		})
	}
}
