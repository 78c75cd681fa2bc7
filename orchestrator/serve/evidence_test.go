package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTheOperatorSaysWhatEvidenceCountsAndHowLongItMayTake(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback = true
	c.Evidence.AnswerWithin, c.Evidence.Lowest = 7*24*time.Hour, "C3"
	p := start(t, c)
	ask := func(path, body string, answer any) {
		t.Helper()
		code, said := call(t, new(http.Client), http.MethodPost, "http://"+p.addr+path, admin, body)
		if code != http.StatusOK {
			t.Fatalf("POST %s = %d %s, want 200", path, code, said)
		}
		if err := json.Unmarshal([]byte(said), answer); err != nil {
			t.Fatal(err)
		}
	}
	ask("/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, talker(t, "reviewer")), new(any))
	ask("/v1/agents:register", fmt.Sprintf(`{"cardUri":%q,"metadata":{"consultationRequirements":[
		{"id":"r","targetAgent":"reviewer","phase":"pre-execution","mandatory":true}]}}`, talker(t, "coder")), new(any))
	var accepted task
	ask("/v1/tasks", `{"route":{"agent":"coder"},"message":{"parts":[{"text":"hi"}]}}`, &accepted)
	var asked struct{ IssueTime, ExpireTime time.Time }
	ask("/v1/tasks/"+accepted.ID+"/consultations", `{"requirementId":"r"}`, &asked)
	if got := asked.ExpireTime.Sub(asked.IssueTime); got != c.Evidence.AnswerWithin {
		t.Errorf("the consultation can be answered for %s, want %s", got, c.Evidence.AnswerWithin)
	}
	if _, told := call(t, new(http.Client), http.MethodGet, "http://"+p.addr+"/v1/tasks/"+accepted.ID+":checkConsultations", admin, ""); !strings.Contains(told, `"requiredLevel":"C3"`) {
		t.Errorf("GET /v1/tasks/%s:checkConsultations = %s, want evidence of level C3 needed", accepted.ID, told)
	}
}
