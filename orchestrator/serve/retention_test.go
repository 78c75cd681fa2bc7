package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestWhatIsOverIsRemovedAsConfigured restarts a server, which removes at its start, with ever shorter times than people may configure.
func TestWhatIsOverIsRemovedAsConfigured(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback = true
	c.Retention.Tasks, c.Retention.Evidence = 0, 0
	p := start(t, c)
	ask := func(method, path, body string) string {
		t.Helper()
		_, answer := call(t, new(http.Client), method, "http://"+p.addr+path, admin, body)
		return answer
	}
	submit := func(agent string) (path string) {
		t.Helper()
		var accepted task
		if told := ask("POST", "/v1/tasks", `{"route":{"agent":"`+agent+`"},"message":{"parts":[{"text":"hi"}]}}`); json.Unmarshal([]byte(told), &accepted) != nil || accepted.ID == "" {
			t.Fatalf("POST /v1/tasks = %s, want a task", told)
		}
		return "/v1/tasks/" + accepted.ID
	}
	ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, talker(t, "reviewer")))
	ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q,"metadata":{"consultationRequirements":[
		{"id":"r","targetAgent":"reviewer","phase":"pre-execution","mandatory":true}]}}`, talker(t, "coder")))
	done, waiting := submit("reviewer"), submit("coder")
	ask("GET", done+":watch", "")
	ask("POST", waiting+"/consultations", `{"requirementId":"r"}`)
	if told := ask("GET", waiting+"/consultations", ""); !strings.Contains(told, `"requirementId"`) {
		t.Fatalf("GET %s/consultations = %s, want one", waiting, told)
	}
	again := func() {
		t.Helper()
		if err := p.stop(); err != nil {
			t.Fatal(err)
		}
		p = start(t, c)
	}

	c.Retention.Evidence = 1
	again()
	await(t, "end of the consultation", func() (string, bool) {
		told := ask("GET", waiting+"/consultations", "")
		return told, !strings.Contains(told, `"requirementId"`)
	})
	if told := ask("GET", done, ""); !strings.Contains(told, "TASK_STATE_COMPLETED") {
		t.Errorf("GET %s = %s, want it kept for ever", done, told)
	}
	c.Retention.Tasks = 1
	again()
	await(t, "end of the task", func() (string, bool) {
		told := ask("GET", done, "")
		return told, strings.Contains(told, "TASK_NOT_FOUND")
	})
	if told := ask("GET", waiting, ""); !strings.Contains(told, "coder") {
		t.Errorf("GET %s = %s, want it kept: it has not ended", waiting, told)
	}
}
