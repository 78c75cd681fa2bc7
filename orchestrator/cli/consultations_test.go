package cli_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequestWaitsForTheOutcome(t *testing.T) {
	t.Parallel()
	list := func(state, outcome string) string { return `{"consultations":[` + consultation(state, outcome) + `]}` }
	tests := map[string]struct {
		lists []string
		args  []string
		exit  int
		want  string // in stdout
	}{
		"an approval is 0":       {[]string{list("open", ""), list("answered", "approved")}, []string{"--wait"}, 0, "approved"},
		"a rejection is 8":       {[]string{list("answered", "rejected")}, []string{"--wait", "-o", "json"}, 8, `"outcome": "rejected"`},
		"one that expired is 8":  {[]string{list("expired", "")}, []string{"--wait"}, 8, "expired"},
		"one that asks is 8":     {[]string{list("asking", "")}, []string{"--wait"}, 8, "asking"},
		"too long a wait is 9":   {[]string{list("open", "")}, []string{"--wait", "--timeout", "300ms"}, 9, ""},
		"without --wait it is 0": {nil, nil, 0, "open"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"POST /v1/tasks/t1/consultations": answer(consultation("open", "")),
				"GET /v1/tasks/t1/consultations":  answer(test.lists...),
			})
			exit, stdout, stderr := g.run(t, "", append([]string{"consultations", "request", "t1", "--requirement", "review"}, test.args...)...)
			if exit != test.exit || !strings.Contains(stdout, test.want) {
				t.Errorf("Main(consultations request %q) = %d, %q, %q, want %d and %q", test.args, exit, stdout, stderr, test.exit, test.want)
			}
			asked := sent(t, g, 0)
			want := map[string]any{"taskId": "t1", "requirementId": "review", "requestId": asked["requestId"]}
			if diff := cmp.Diff(want, asked); diff != "" || asked["requestId"] == nil {
				t.Errorf("consultations request sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRequestSaysWhyThereIsNoApproval reads stderr: a consultation does not say which evidence was refused, its requirement's verdict does.
func TestRequestSaysWhyThereIsNoApproval(t *testing.T) {
	t.Parallel()
	other := strings.ReplaceAll(missing, "review", "other")
	checked := answer(`{"requirements":[` + strings.ReplaceAll(other, "nobody", "no one") + `,` + missing + `]}`)
	const reason, hint = "CONSULTATION_MISSING: nobody asked reviewer about this content\n", "see why: quorate consultations check t1\n"
	for name, test := range map[string]struct {
		state, outcome string
		checked        []http.HandlerFunc
		exit           int
		want           string // in stderr, before the error if there is one
	}{
		"failed":                      {"failed", "", checked, 8, reason},
		"rejected":                    {"answered", "rejected", checked, 8, reason},
		"still open after the wait":   {"open", "", checked, 9, reason},
		"the check is not answered":   {"expired", "", []http.HandlerFunc{refuse(http.StatusForbidden, 7, "DENIED", "no")}, 8, hint},
		"an approval needs no reason": {"answered", "approved", nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"POST /v1/tasks/t1/consultations":     answer(consultation("open", "")),
				"GET /v1/tasks/t1/consultations":      answer(`{"consultations":[` + consultation(test.state, test.outcome) + `]}`),
				"GET /v1/tasks/t1:checkConsultations": test.checked,
			})
			exit, _, stderr := g.run(t, "", "consultations", "request", "t1", "--requirement", "review", "--wait", "--timeout", "300ms")
			stderr, _, _ = strings.Cut(stderr, "quorate consultations request: ") // the error itself comes last
			if exit != test.exit || stderr != test.want {
				t.Errorf("Main(consultations request --wait) = %d, stderr %q, want %d, %q", exit, stderr, test.exit, test.want)
			}
		})
	}
}

// TestRequestWaitsForAServerThatIsAway loses the server while it waits: what was asked is asked all the same.
func TestRequestWaitsForAServerThatIsAway(t *testing.T) {
	t.Parallel()
	list := func(state, outcome string) http.HandlerFunc {
		return answer(`{"consultations":[` + consultation(state, outcome) + `]}`)[0]
	}
	away := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	stopping := refuse(http.StatusServiceUnavailable, 14, "STOPPING", "stopping")
	for name, test := range map[string]struct {
		lists   []http.HandlerFunc
		timeout string
		exit    int
		want    string // in stderr
	}{
		"it comes back":    {[]http.HandlerFunc{away, stopping, list("answered", "approved")}, "10m", 0, "the server gives no answer; trying again"},
		"it does not":      {[]http.HandlerFunc{away}, "400ms", 9, "(SERVER_UNREACHABLE)"},
		"it forgot a task": {[]http.HandlerFunc{away, refuse(http.StatusNotFound, 5, "TASK_NOT_FOUND", "no task t1")}, "10m", 3, "TASK_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/tasks/t1/consultations": answer(consultation("open", "")), "GET /v1/tasks/t1/consultations": test.lists})
			exit, stdout, stderr := g.run(t, "", "consultations", "request", "t1", "--requirement", "review", "--wait", "--timeout", test.timeout)
			if exit != test.exit || !strings.Contains(stderr, test.want) {
				t.Errorf("Main(consultations request --wait) = %d, %q, %q, want %d and %q", exit, stdout, stderr, test.exit, test.want)
			}
		})
	}
}

func TestAnInterruptedWaitSaysThatTheConsultationGoesOn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newGateway(t, map[string][]http.HandlerFunc{
		"POST /v1/tasks/t1/consultations": answer(consultation("open", "")),
		"GET /v1/tasks/t1/consultations": {func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		}},
	})
	exit, _, stderr := run(ctx, "", "consultations", "request", "t1", "--requirement", "review", "--wait", "--server", g.url, "--token-file", g.token)
	if exit != 130 || !strings.Contains(stderr, "the consultation goes on; see its outcome: quorate consultations list t1") {
		t.Errorf("Main(consultations request --wait) = %d, %q, want 130 and how to go on", exit, stderr)
	}
}

func TestCheckAsksForThePhase(t *testing.T) {
	t.Parallel()
	g := newGateway(t, routes())
	g.run(t, "", "consultations", "check", "t1", "--phase", "on-error")
	if want := "GET /v1/tasks/t1:checkConsultations?phase=on-error"; g.seen()[0] != want {
		t.Errorf("consultations check asked %q, want %q", g.seen()[0], want)
	}
}

func TestCheckNamesTheStepsThatHaveNotBegun(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/tasks/t1:checkConsultations": answer(`{"allowed":false,"notBegun":["coder"]}`)})
	exit, stdout, _ := run(t.Context(), "", "consultations", "check", "t1", "--server", g.url, "--token-file", g.token)
	if exit != 8 || !strings.Contains(stdout, "BLOCKED\nThe step of coder has not begun: check again when it has\n") {
		t.Errorf("Main(consultations check) = %d, %q, want 8 and why", exit, stdout)
	}
}

func TestAWaitEndsWhereTheConsultedAgentAsks(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"POST /v1/tasks/t1/consultations": answer(consultation("open", "")),
		"GET /v1/tasks/t1/consultations":  answer(`{"consultations":[` + consultation("asking", "") + `]}`),
	})
	if exit, _, stderr := g.run(t, "", "consultations", "request", "t1", "--requirement", "review", "--wait"); exit != 8 || !strings.Contains(stderr, "asks before it judges") {
		t.Errorf("Main(consultations request --wait) = %d, %q, want 8 and that the agent asks", exit, stderr)
	}
}
