package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestATaskIsCanceledOnlyAsItWasRead has If-Match say which state of the task is meant.
func TestATaskIsCanceledOnlyAsItWasRead(t *testing.T) {
	t.Parallel()
	c, admin := config(t)
	c.Agents.AllowLoopback = true
	p := start(t, c)
	ask := func(path, etag, body string) (int, string) {
		t.Helper()
		client := &http.Client{Transport: sending{"If-Match", etag}}
		return call(t, client, http.MethodPost, "http://"+p.addr+path, admin, body)
	}
	ask("/v1/agents:register", "", fmt.Sprintf(`{"cardUri":%q}`, talker(t, "reviewer")))
	ask("/v1/agents:register", "", fmt.Sprintf(`{"cardUri":%q,"metadata":{"consultationRequirements":[
		{"id":"r","targetAgent":"reviewer","phase":"pre-execution","mandatory":true}]}}`, talker(t, "coder")))
	var accepted task
	_, told := ask("/v1/tasks", "", `{"route":{"agent":"coder"},"message":{"parts":[{"text":"hi"}]}}`)
	if err := json.Unmarshal([]byte(told), &accepted); err != nil {
		t.Fatal(err)
	}
	path := "/v1/tasks/" + accepted.ID
	if _, told := call(t, new(http.Client), http.MethodGet, "http://"+p.addr+path+":watch", admin, ""); !strings.Contains(told, "CONSULTATION_MISSING") {
		t.Fatalf("GET %s:watch = %s, want it to end with the task blocked", path, told)
	}
	var read struct{ Etag string }
	if _, told := call(t, new(http.Client), http.MethodGet, "http://"+p.addr+path, admin, ""); json.Unmarshal([]byte(told), &read) != nil || read.Etag == "" {
		t.Fatalf("GET %s = %s, want an etag", path, told)
	}
	for _, test := range []struct {
		etag string
		code int
		want string
	}{{`"stale"`, http.StatusPreconditionFailed, "ETAG_MISMATCH"}, {`"` + read.Etag + `"`, http.StatusOK, accepted.ID}} {
		if code, told := ask(path+":cancel", test.etag, "{}"); code != test.code || !strings.Contains(told, test.want) {
			t.Errorf("POST %s:cancel with If-Match %s = %d %s, want %d and %s", path, test.etag, code, told, test.code, test.want)
		}
	}
}

// sending sends a header with each request, when it is not empty.
type sending struct{ name, value string }

// RoundTrip implements http.RoundTripper.
func (s sending) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.value != "" {
		r = r.Clone(r.Context())
		r.Header.Set(s.name, s.value)
	}
	return http.DefaultTransport.RoundTrip(r)
}
