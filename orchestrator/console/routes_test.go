package console_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestBesideTheConsoleEverythingIsAsItWas asks the whole server, without a browser and without a key.
func TestBesideTheConsoleEverythingIsAsItWas(t *testing.T) {
	q := start(t, t.TempDir())
	tests := map[string]struct {
		request string
		status  int
		body    string
	}{
		"the console":                {"GET /", 200, "<!doctype html>"},
		"the console, its head only": {"HEAD /", 200, ""},
		"a file of it":               {"GET /console/app.js", 200, "import"},
		"a file that is not there":   {"GET /console/nothing.js", 404, "ROUTE_NOT_FOUND"},
		"a folder of files":          {"GET /console/", 404, "ROUTE_NOT_FOUND"},
		"a path that nobody has":     {"GET /nothing", 404, "ROUTE_NOT_FOUND"},
		"another method":             {"POST /", 405, "METHOD_NOT_ALLOWED"},
		"the API, without a key":     {"GET /v1/agents", 401, "TOKEN_MISSING"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			method, path, _ := strings.Cut(test.request, " ")
			r, err := http.NewRequestWithContext(t.Context(), method, q.HTTP+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := new(http.Client).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != test.status || !strings.Contains(string(body), test.body) {
				t.Errorf("%s = %d %.200s, %v, want %d with %s", test.request, answer.StatusCode, body, err, test.status, test.body)
			}
		})
	}
}
