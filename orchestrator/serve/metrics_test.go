package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
)

// TestMetricsTellWhatGatesAndRoutesCameTo has a task wait for a reviewer that leaves no evidence, with a Jaeger that is broken.
func TestMetricsTellWhatGatesAndRoutesCameTo(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	c, admin := config(t)
	c.Agents.AllowLoopback = true
	c.Evidence.JaegerURL = broken.URL
	p := start(t, c)
	ask := func(path, body string) string {
		t.Helper()
		code, answer := call(t, new(http.Client), http.MethodPost, "http://"+p.addr+path, admin, body)
		if code != http.StatusOK {
			t.Fatalf("POST %s = %d %s, want 200", path, code, answer)
		}
		return answer
	}
	ask("/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, talker(t, "reviewer")))
	ask("/v1/agents:register", fmt.Sprintf(`{"cardUri":%q,"metadata":{"consultationRequirements":[
		{"id":"r","targetAgent":"reviewer","phase":"pre-completion","mandatory":true}]}}`, talker(t, "coder")))
	ask("/v1/routes:resolve", `{"route":{"skill":"fly"}}`)
	var accepted task
	if err := json.Unmarshal([]byte(ask("/v1/tasks", `{"route":{"agent":"coder"},"message":{"parts":[{"text":"hi"}]}}`)), &accepted); err != nil {
		t.Fatal(err)
	}
	until(t, p, `quorate_consultation_verdicts_total\{.*phase="pre-completion",verdict="missing"\} 1\n`)
	ask("/v1/tasks/"+accepted.ID+"/consultations", `{"requirementId":"r"}`)
	const spans = `{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":%q}`
	ask("/v1/traces", `{"resourceSpans":[{"scopeSpans":[{"spans":[`+fmt.Sprintf(spans, "anything")+`,`+fmt.Sprintf(spans, "quorate.consultation.verdict")+`]}]}]}`)
	for _, want := range []string{
		`quorate_consultation_verdicts_total\{.*phase="pre-completion",verdict="unavailable"\} 1\n`,
		`quorate_backend_lookup_duration_seconds_count\{backend="jaeger",.*result="unavailable"\} [1-9]`,
		`quorate_otlp_spans_total\{decision="ignored",.*reason=""\} 1\n`,
		`quorate_otlp_spans_total\{decision="refused",.*reason="EVIDENCE_[A-Z_]+"\} 1\n`,
		`quorate_exchanges\{.*\} 0\n`, `quorate_tasks_in_line\{.*\} 0\n`, `quorate_agent_calls_in_line\{.*\} 0\n`,
		`quorate_route_duration_seconds_count\{.*result="refused"\} 1\n`,
		`quorate_route_duration_seconds_count\{.*result="chosen"\} 2\n`, // the task's and that of the carrying of its consultation
	} {
		until(t, p, want)
	}
}

// until waits for a line of the metrics.
func until(t *testing.T, p *process, line string) {
	t.Helper()
	want := regexp.MustCompile("\n" + line)
	await(t, line, func() (string, bool) {
		_, metrics := call(t, new(http.Client), http.MethodGet, "http://"+p.addr+"/metrics", "", "")
		return fmt.Sprint(regexp.MustCompile(`\nquorate_[^#]*`).FindAllString(metrics, -1)), want.MatchString(metrics)
	})
}

// talker is an agent that answers everything with a word.
func talker(t *testing.T, name string) (url string) {
	t.Helper()
	return doer(t, name, func(question) {})
}

// doer is a talker that does something about each question before it answers.
func doer(t *testing.T, name string, does func(question)) (url string) {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprintf(w, cardOfTalker, name, s.URL)
			return
		}
		var q question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Errorf("agent %s was sent what it cannot read: %v", name, err)
		}
		does(q)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"message":{"messageId":"m1","role":"ROLE_AGENT","parts":[{"text":"done"}]}}}`, q.ID)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
