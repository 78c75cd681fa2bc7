package cloudwatch_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation/cloudwatch"
)

func TestAQueryIsStoppedAlthoughWhoAskedLeftWhileItStarted(t *testing.T) {
	t.Parallel()
	for tries := 1; ; tries++ { // a busy machine may take longer to start one, or to end it
		stopped, err := leaveWhileItStarts(t)
		if err != nil && stopped == "q1" {
			return
		}
		if err == nil || stopped != "" || tries == 10 {
			t.Fatalf("Verdicts() of one who left = %v after the stop of %q, want an error and that of q1", err, stopped)
		}
	}
}

// leaveWhileItStarts looks for verdicts, leaves while the query starts, and returns which query was stopped and the error of the look.
func leaveWhileItStarts(t *testing.T) (stopped string, err error) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	var query atomic.Value
	query.Store("")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ QueryID string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Errorf("reading a request = %v", err)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
		case "StartQuery":
			leave()
			_, _ = w.Write([]byte(`{"queryId":"q1"}`))
		case "StopQuery":
			query.Store(in.QueryID)
			_, _ = w.Write([]byte(`{"success":true}`))
		default:
			_, _ = w.Write([]byte(`{"status":"Running","results":[]}`))
		}
	}))
	t.Cleanup(s.Close)
	traces, err := cloudwatch.Open(t.Context(), cloudwatch.Config{Region: "eu-central-1", Endpoint: s.URL, Timeout: time.Minute})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	_, err = traces.Verdicts(ctx, asked)
	stopped, _ = query.Load().(string)
	return stopped, err
}
