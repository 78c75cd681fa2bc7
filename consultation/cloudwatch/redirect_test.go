package cloudwatch_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation/cloudwatch"
)

func TestNoRequestFollowsARedirect(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere.Add(1)
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	t.Cleanup(s.Close)
	traces, err := cloudwatch.Open(t.Context(), cloudwatch.Config{Region: "eu-central-1", Endpoint: s.URL, Timeout: time.Minute})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if claims, err := traces.Verdicts(t.Context(), asked); err == nil || elsewhere.Load() != 0 {
		t.Errorf("Verdicts() = %v, %v after %d requests to another server, want an error and none", claims, err, elsewhere.Load())
	}
}
