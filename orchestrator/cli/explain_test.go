package cli_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestExplainEndsWithTheCommandToTryNext(t *testing.T) {
	t.Parallel()
	const waiting = `{"id":"t1","state":"TASK_STATE_INPUT_REQUIRED","agent":"web-fetch"}`
	verdict := func(mandatory, verdict string) string {
		return `{"requirements":[` + skipped + `,{"id":"review","targetAgent":"reviewer","applies":true,"mandatory":` + mandatory + `,"verdict":"` + verdict + `"}]}`
	}
	tests := map[string]struct{ task, check, want string }{
		"completed: see it":         {completedTask, `{"allowed":true}`, "quorate tasks get t1"},
		"failed: look at its agent": {failedTask, `{"allowed":true}`, "quorate agents get web-fetch"},
		"a plan whose step waits: look at it": {
			`{"id":"t1","state":"TASK_STATE_INPUT_REQUIRED","plan":{"mode":"chain","needed":2,"steps":[{"agent":"a","taskId":"c1","state":"TASK_STATE_COMPLETED"},{"agent":"b","taskId":"c2","state":"TASK_STATE_INPUT_REQUIRED"}]}}`,
			`{"allowed":true}`, "quorate tasks explain c2",
		},
		"a plan that is completed: see it": {
			`{"id":"t1","state":"TASK_STATE_COMPLETED","plan":{"mode":"any","needed":1,"steps":[{"agent":"a","taskId":"c1","state":"TASK_STATE_COMPLETED"}]}}`,
			`{"allowed":true}`, "quorate tasks get t1",
		},
		"its agent asks: answer": {`{"id":"t1","state":"TASK_STATE_INPUT_REQUIRED","phase":"execution","agent":"web-fetch"}`, `{"allowed":true}`, "quorate tasks reply t1 --text …"},
		"a step's agent asks: answer": {
			`{"id":"t1","state":"TASK_STATE_INPUT_REQUIRED","phase":"execution","plan":{"mode":"any","needed":1,"waitingStep":1,"steps":[{"agent":"a","taskId":"c1","state":"TASK_STATE_INPUT_REQUIRED"}]}}`,
			`{"allowed":true}`, "quorate tasks reply t1 --text …",
		},
		"running: follow it":            {`{"id":"t1","state":"TASK_STATE_WORKING"}`, `{"allowed":true}`, "quorate tasks watch t1"},
		"missing: ask":                  {waiting, verdict("true", "missing"), "quorate consultations request t1 --requirement review --wait"},
		"rejected: ask again":           {waiting, verdict("true", "rejected"), "quorate consultations request t1 --requirement review --wait"},
		"pending: see what is asked":    {waiting, verdict("true", "pending"), "quorate consultations list t1"},
		"unavailable: it looks again":   {waiting, verdict("true", "unavailable"), "quorate tasks watch t1"},
		"approved: follow it":           {waiting, verdict("true", "approved"), "quorate tasks watch t1"},
		"only recommended: follow it":   {waiting, verdict("false", "missing"), "quorate tasks watch t1"},
		"a requirement that is skipped": {waiting, `{"requirements":[` + skipped + `]}`, "quorate tasks watch t1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"GET /v1/tasks/t1": answer(test.task), "GET /v1/tasks/t1:checkConsultations": answer(test.check), "GET /v1/tasks/t1/consultations": answer(`{}`),
			})
			exit, stdout, stderr := g.run(t, "", "tasks", "explain", "t1")
			if exit != 0 || !strings.HasSuffix(stdout, "\nNext: "+test.want+"\n") {
				t.Errorf("Main(tasks explain t1) = %d, %q, %q, want 0 and %q at the end", exit, stdout, stderr, test.want)
			}
		})
	}
}

func TestExplainNamesWhoRecordedWhatABackendHas(t *testing.T) {
	t.Parallel()
	for recorder, want := range map[string]string{
		"":         "approved by an unknown recorder, found in jaeger,",
		"reviewer": "approved by reviewer, found in jaeger,", // as its signature proves
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"GET /v1/tasks/t1": answer(`{"id":"t1","state":"TASK_STATE_WORKING"}`),
				"GET /v1/tasks/t1:checkConsultations": answer(`{"requirements":[{"id":"review","targetAgent":"reviewer","applies":true,"verdict":"approved",
					"evidence":[{"outcome":"approved","recorder":"` + recorder + `","backend":"jaeger","level":"C3"}]}]}`),
			})
			if exit, stdout, stderr := g.run(t, "", "tasks", "explain", "t1"); exit != 0 || !strings.Contains(stdout, want) {
				t.Errorf("Main(tasks explain t1) = %d, %q, %q, want it to say %q", exit, stdout, stderr, want)
			}
		})
	}
}

func TestExplainNamesWhatTheAgentsLogCallsTheTask(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/tasks/t1": answer(`{"id":"t1","state":"TASK_STATE_FAILED","attempts":[{"number":1,"agent":"web-fetch","remoteTaskId":"there-7","binding":"GRPC",
			"startTime":"2026-01-02T03:04:05Z","endTime":"2026-01-02T03:04:07Z"}]}`),
		"GET /v1/tasks/t1:checkConsultations": answer(`{"allowed":true}`), "GET /v1/tasks/t1/consultations": answer(`{}`),
	})
	const want = "sent 2026-01-02T03:04:05Z as there-7"
	if exit, stdout, stderr := g.run(t, "", "tasks", "explain", "t1"); exit != 0 || !strings.Contains(stdout, want) {
		t.Errorf("Main(tasks explain t1) = %d, %q, %q, want it to say %q", exit, stdout, stderr, want)
	}
}

// TestExplainTellsOfAConsultationThatFailed has an agent that ended because its reviewer could not be consulted; what it said of that is held back.
func TestExplainTellsOfAConsultationThatFailed(t *testing.T) {
	t.Parallel()
	g := newGateway(t, map[string][]http.HandlerFunc{
		"GET /v1/tasks/t1":                    answer(`{"id":"t1","state":"TASK_STATE_FAILED","agent":"writer","error":{"reason":"AGENT_FAILED","message":"its words are held back"}}`),
		"GET /v1/tasks/t1:checkConsultations": answer(`{"allowed":true}`),
		"GET /v1/tasks/t1/consultations": answer(`{"consultations":[
			{"requirementId":"style","targetAgent":"critic","attempt":1,"state":"answered","outcome":"approved","feedback":"fine"},
			{"requirementId":"review","targetAgent":"reviewer","attempt":2,"state":"failed","feedback":"EVIDENCE_REFUSED: not an agent","carrierTaskId":"c2"}]}`),
	})
	exit, stdout, stderr := g.run(t, "", "tasks", "explain", "t1")
	if exit != 0 || !strings.Contains(stdout, "review  reviewer  attempt 2  failed  EVIDENCE_REFUSED: not an agent\n") || strings.Contains(stdout, "critic") {
		t.Errorf("Main(tasks explain t1) = %d, %q, %q, want the consultation that failed, and no other", exit, stdout, stderr)
	}
	if !strings.HasSuffix(stdout, "\nNext: quorate tasks explain c2\n") {
		t.Errorf("Main(tasks explain t1) says %q, want it to go on with the consultation's task", stdout)
	}
}

func TestATaskSaysWhetherItsGateMayStillOpen(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{
		"INPUT_REQUIRED": "Withheld  artifacts: 2, until the gate opens\n", "CANCELED": "Withheld  artifacts: 2, since no gate opened\n",
	} {
		g := newGateway(t, map[string][]http.HandlerFunc{"GET /v1/tasks/t1": answer(`{"id":"t1","state":"TASK_STATE_` + state + `","withheldArtifacts":2}`)})
		if _, stdout, _ := g.run(t, "", "tasks", "get", "t1"); !strings.Contains(stdout, want) {
			t.Errorf("Main(tasks get) of a task in state %s says %q, want %q in it", state, stdout, want)
		}
	}
}
