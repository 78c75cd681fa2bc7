package cloudwatch_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation/cloudwatch"
)

func TestTheEndpointIsTheOneOfTheAWSConfiguration(t *testing.T) {
	var requests atomic.Int64
	private := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(private.Close)
	for _, variable := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(variable, filepath.Join(t.TempDir(), "none"))
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "nobody")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "nothing")
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", private.URL)
	traces, err := cloudwatch.Open(t.Context(), cloudwatch.Config{Region: "eu-central-1", Timeout: time.Minute})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if claims, err := traces.Verdicts(t.Context(), asked); err == nil || requests.Load() == 0 {
		t.Errorf("Verdicts() = %v, %v after %d requests to the private endpoint, want an error of its own", claims, err, requests.Load())
	}
}
