package kit_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/fault"
)

// away is a Quorate that is restarted: it answers again after a time.
type away struct{ until time.Time }

func (a away) RoundTrip(*http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	answer.Header().Set("Content-Type", "application/x-protobuf")
	if time.Now().Before(a.until) {
		answer.WriteHeader(http.StatusServiceUnavailable)
	}
	return answer.Result(), nil
}

// TestAVerdictOutlastsARestart: replicas take up to a minute to be replaced, and a verdict that is lost has to be asked for again by somebody.
func TestAVerdictOutlastsARestart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lasts time.Duration
		want  string
	}{
		"of 40 seconds": {40 * time.Second, ""},
		"of an hour":    {time.Hour, "EVIDENCE_NOT_RECORDED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := kit.Config{Name: "reviewer", Version: "1.0.0", Server: "https://quorate.example", Token: token}
				err := kit.Record(t.Context(), c, away{time.Now().Add(test.lasts)}, question(textDigest, "text"), kit.Outcome{Verdict: kit.Approved})
				if fault.ReasonOf(err) != test.want || (err == nil) != (test.want == "") {
					t.Errorf("Record() = %v, want reason %q", err, test.want)
				}
			})
		})
	}
}
