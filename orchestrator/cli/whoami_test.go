package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestWhoamiTellsWhomTheTokenStandsFor(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/caller": answer(
		`{"name":"ci","tenant":"acme","roles":["dispatcher","viewer"],"credential":"openid-connect","methods":["quorate.orchestrator.v1.TaskService/SubmitTask"]}`,
	)})
	const want = "Name        ci\nTenant      acme\nRoles       dispatcher, viewer\nCredential  openid-connect\n"
	if exit, stdout, stderr := g.run(t, "", "whoami"); exit != 0 || stdout != want || stderr != "" {
		t.Errorf("Main(whoami) = %d, %q, %q, want 0, %q", exit, stdout, stderr, want)
	}
	if exit, stdout, _ := g.run(t, "", "whoami", "-o", "json"); exit != 0 || !strings.Contains(stdout, `"quorate.orchestrator.v1.TaskService/SubmitTask"`) {
		t.Errorf("Main(whoami -o json) = %d, %q, want 0 and the methods", exit, stdout)
	}
}
