package serve_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/orchestrator/serve"
)

// throttled puts a DynamoDB in front of that of c, which throttles a number of calls and then passes all on.
func throttled(t *testing.T, c *serve.Config, calls int64) {
	t.Helper()
	behind, err := url.Parse(c.Store.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var seen atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(behind)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen.Add(1) > calls {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow down"}`))
	}))
	t.Cleanup(front.Close)
	c.Store.Endpoint = front.URL
}

// sdkAttempts is how often one call is tried before it fails.
const sdkAttempts = 8

func TestAReplicaWaitsForAStoreThatIsThrottled(t *testing.T) {
	t.Parallel()
	c, _ := replicated(t)
	throttled(t, &c, sdkAttempts)
	p := start(t, c)
	for _, want := range []string{"the store cannot be used yet; trying again", "ThrottlingException"} {
		if log := p.log.String(); !strings.Contains(log, want) {
			t.Errorf("the log of a start with a throttled store is\n%s\nwant %q in it", log, want)
		}
	}
}

func TestAReplicaThatWaitsForItsStoreCanBeStopped(t *testing.T) {
	t.Parallel()
	c, _ := replicated(t)
	throttled(t, &c, 1<<30)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log := &lines{more: make(chan struct{}, 1)}
	done := make(chan error, 1)
	go func() { done <- serve.Run(ctx, c, "0.0.0", log) }()
	for !strings.Contains(log.String(), "trying again") {
		select {
		case <-log.more:
		case err := <-done:
			t.Fatalf("Run() = %v, want it to wait; it said:\n%s", err, log)
		}
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) || strings.Contains(log.String(), "ended by an error") {
		t.Errorf("Run() = %v when it is stopped, want that it was canceled; it said:\n%s", err, log)
	}
}
