package cli_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// watching has a task t1 that is watched over streams.
func watching(streams ...http.HandlerFunc) map[string][]http.HandlerFunc {
	return map[string][]http.HandlerFunc{
		"POST /v1/tasks":         answer(`{"id":"t1","state":"TASK_STATE_SUBMITTED"}`),
		"GET /v1/tasks/t1":       answer(`{"id":"t1","state":"TASK_STATE_WORKING"}`),
		"GET /v1/tasks/t1:watch": streams,
	}
}

func TestWatchExitCodeTellsHowTheTaskEnded(t *testing.T) {
	t.Parallel()
	const open = `{"id":"t1","state":"TASK_STATE_INPUT_REQUIRED","gates":[{"phase":"pre-execution","allowed":true}]}`
	tests := map[string]struct {
		task string
		exit int
	}{
		"completed is 0":                    {completedTask, 0},
		"failed is 7":                       {failedTask, 7},
		"rejected is 7":                     {`{"id":"t1","state":"TASK_STATE_REJECTED"}`, 7},
		"canceled is 7":                     {`{"id":"t1","state":"TASK_STATE_CANCELED"}`, 7},
		"blocked by a gate is 8":            {blockedTask, 8},
		"an open gate and no end is 1":      {open, 1},
		"another state without an end is 1": {`{"id":"t1","state":"TASK_STATE_WORKING"}`, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, args := range [][]string{{"tasks", "watch", "t1"}, {"tasks", "submit", "--agent", "a", "--text", "x", "--watch"}} {
				g := newGateway(t, watching(stream(false, submitted, `{"task":`+test.task+`}`)))
				if exit, stdout, stderr := g.run(t, "", args...); exit != test.exit {
					t.Errorf("Main(%q) = %d, %q, %q, want %d", args, exit, stdout, stderr, test.exit)
				}
			}
		})
	}
}

// TestAWatchWaitsForItsTurn has a server that limits the rate of calls refuse the watch that follows a submission.
func TestAWatchWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	g := newGateway(t, watching(later("RATE_LIMITED", "0.005s"), stream(false, submitted, `{"task":`+completedTask+`}`)))
	exit, stdout, stderr := g.run(t, "", "tasks", "submit", "--agent", "a", "--text", "x", "--watch")
	if exit != 0 || len(g.seen()) != 3 {
		t.Errorf("Main(tasks submit --watch) = %d, %q, %q after %d requests, want 0 after 3", exit, stdout, stderr, len(g.seen()))
	}
}

func TestWatchOutput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		task string
		args []string
	}{
		"watch_done":      {completedTask, nil},
		"watch_done_json": {completedTask, []string{"-o", "json"}},
		"watch_failed":    {failedTask, nil},
		"watch_blocked":   {blockedTask, nil},
		"watch_on_error": {strings.NewReplacer(
			`"phase":"pre-completion"`, `"phase":"on-error"`,
			`"CONSULTATION_MISSING","message":"reviewer has not been consulted"`, `"AGENT_FAILED","message":"the agent failed"`,
		).Replace(blockedTask), nil},
		"watch_blocked_json": {blockedTask, []string{"-o", "json"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, watching(stream(false, submitted, working, `{"sequence":"2","task":`+test.task+`}`)))
			_, stdout, stderr := g.run(t, "", append([]string{"tasks", "submit", "--agent", "web-fetch", "--text", "x", "--watch"}, test.args...)...)
			golden(t, name, stdout+"--- stderr\n"+stderr)
		})
	}
}

func TestWatchTakesABrokenStreamUpAfterTheLastEvent(t *testing.T) {
	t.Parallel()
	unavailable := func(w http.ResponseWriter, r *http.Request) {
		stream(false)(w, r)
		_, _ = w.Write([]byte("event: error\ndata: {\"code\":14,\"message\":\"stopping\"}\n\n"))
	}
	g := newGateway(t, watching(
		stream(true, submitted),
		unavailable,
		stream(false),                           // ended by a proxy
		stream(false, submitted, working, done), // one event comes twice
	))
	exit, stdout, stderr := g.run(t, "", "tasks", "watch", "t1", "--through-gates", "-o", "json")
	if exit != 0 {
		t.Fatalf("Main(tasks watch t1) = %d, %q, want 0", exit, stderr)
	}
	wantRequests := []string{
		"GET /v1/tasks/t1",
		"GET /v1/tasks/t1:watch?after_sequence=0&through_gates=true",
		"GET /v1/tasks/t1:watch?after_sequence=1&through_gates=true",
		"GET /v1/tasks/t1:watch?after_sequence=1&through_gates=true",
		"GET /v1/tasks/t1:watch?after_sequence=1&through_gates=true",
	}
	if diff := cmp.Diff(wantRequests, g.seen()); diff != "" {
		t.Errorf("tasks watch asked (-want +got):\n%s", diff)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"submitted"`) || !strings.Contains(lines[1], "WORKING") || !strings.Contains(lines[2], "COMPLETED") {
		t.Errorf("tasks watch printed %q, want each event once and the task", lines)
	}
}

func TestWatchGivesUpWhenThereIsNothingToWaitFor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers map[string][]http.HandlerFunc
		exit    int
	}{
		"an unknown task":           {map[string][]http.HandlerFunc{"GET /v1/tasks/t1": {refuse(http.StatusNotFound, 5, "TASK_NOT_FOUND", "no task t1")}}, 3},
		"a task that went away":     {watching(stream(true, submitted), refuse(http.StatusNotFound, 5, "TASK_NOT_FOUND", "no task t1")), 3},
		"a server that went astray": {watching(stream(false, "<html>")), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, test.answers)
			if exit, stdout, stderr := g.run(t, "", "tasks", "watch", "t1"); exit != test.exit || len(g.seen()) > 3 {
				t.Errorf("Main(tasks watch t1) = %d, %q, %q after %d requests, want %d after the first that tells", exit, stdout, stderr, len(g.seen()), test.exit)
			}
		})
	}
}

func TestAnInterruptedWatchSaysThatTheTaskGoesOn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newGateway(t, watching(func(w http.ResponseWriter, r *http.Request) {
		stream(false, submitted)(w, r)
		cancel()
		<-r.Context().Done()
	}))
	exit, _, stderr := run(ctx, "", "tasks", "watch", "t1", "--server", g.url, "--token-file", g.token)
	if exit != 130 || !strings.Contains(stderr, "quorate tasks watch t1") {
		t.Errorf("Main(tasks watch t1) = %d, %q, want 130 and how to go on", exit, stderr)
	}
}

func TestAWatchThatHasLostItsServerSaysThatTheTaskGoesOn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := newGateway(t, watching(func(w http.ResponseWriter, r *http.Request) {
		refuse(http.StatusServiceUnavailable, 14, "STOPPING", "the server stops")(w, r)
		time.AfterFunc(100*time.Millisecond, cancel) // in the pause before the next try
	}))
	exit, _, stderr := run(ctx, "", "tasks", "watch", "t1", "--server", g.url, "--token-file", g.token)
	if exit != 130 || !strings.Contains(stderr, "the task goes on; follow it: quorate tasks watch t1") {
		t.Errorf("Main(tasks watch t1) = %d, %q, want 130 and how to go on", exit, stderr)
	}
}

func TestCancelTellsWhetherTheTaskHasEnded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ task, stdout, stderr string }{
		"at once": {`{"id":"t1","state":"TASK_STATE_CANCELED"}`, "t1  CANCELED\n", ""},
		"later":   {`{"id":"t1","state":"TASK_STATE_WORKING"}`, "t1  WORKING\n", "the agent was asked to stop; see how it ends: quorate tasks watch t1\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{"POST /v1/tasks/t1:cancel": answer(test.task)})
			exit, stdout, stderr := g.run(t, "", "tasks", "cancel", "t1")
			if exit != 0 || stdout != test.stdout || stderr != test.stderr {
				t.Errorf("Main(tasks cancel t1) = %d, %q, %q, want 0, %q, %q", exit, stdout, stderr, test.stdout, test.stderr)
			}
		})
	}
}
