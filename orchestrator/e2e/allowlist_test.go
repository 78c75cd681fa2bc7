package e2e_test

import (
	"strings"
	"testing"
)

func TestAllowedDomainsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	q := start(t, dir)
	if code, answer := q.rest("POST", "/v1/allowedDomains", `{"domain":"Example.COM"}`); code != 200 || answer["domain"] != "example.com" {
		t.Fatalf("POST /v1/allowedDomains = %d %v, want example.com listed", code, answer)
	}
	if code, answer := q.rest("POST", "/v1/allowedDomains", `{"domain":"*.co.jp"}`); code != 400 {
		t.Errorf("POST of a wildcard over a public suffix = %d %v, want 400", code, answer)
	}
	q.stop()
	q = start(t, dir)
	_, body, _ := q.http("GET", "/v1/allowedDomains", nil, q.token())
	if !strings.Contains(string(body), "example.com") {
		t.Errorf("after a restart the list is %s, want example.com in it", body)
	}
}
