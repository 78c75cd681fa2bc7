package rpcserver_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestOfManyViolationsTheFirstAreNamed(t *testing.T) {
	t.Parallel()
	body := `{"book":{"name":"a"},"others":[` + strings.Repeat(`{"name":"A"},`, 29) + `{"name":"A"}]}`
	answer, text := start(t, nil).do(t, http.MethodPost, "/v1/books", body, header{"Content-Type": "application/json"})
	if got := strings.Count(text, `"field"`); answer.StatusCode != http.StatusBadRequest || got != 20 || !strings.Contains(text, "and 10 more") {
		t.Errorf("a request that breaks 30 rules is answered with %d and %d of them, want 400 and 20: %.2000s", answer.StatusCode, got, text)
	}
}
