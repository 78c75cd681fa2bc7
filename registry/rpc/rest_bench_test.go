package rpc_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/registrytest"
)

// BenchmarkREST calls the real server among 10,000 agents, one call after the other, and reports the percentiles of the time until
// the whole answer was read.
func BenchmarkREST(b *testing.B) {
	const agents, callers = 10_000, 256
	r := registrytest.New(b, registry.Options{LeaseDuration: time.Hour})
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for i := caller; i < agents; i += callers {
				raw := fmt.Appendf(nil, `{"name":"agent-%05d","version":"1.0.0","url":"https://a.example","skills":[{"id":"skill-%d","description":"Reads a page"}]}`, i, i/5)
				if _, _, err := r.Register(b.Context(), "default", registry.Registration{RawCard: raw}); err != nil {
					b.Errorf("Register(%d) = %v, want no error", i, err)
				}
			}
		})
	}
	group.Wait()
	if err := r.Directory().Sync(b.Context(), "default"); err != nil {
		b.Fatalf("Sync() = %v, want no error", err)
	}
	url := serveOn(b, r)
	for name, call := range map[string]struct {
		method, body string
		path         func(i int) string
		want         string
	}{
		"BySkill":   {http.MethodGet, "", func(i int) string { return fmt.Sprintf("/v1/skills/skill-%d/agents", i*7%2000) }, `"agent-`},
		"FirstPage": {http.MethodGet, "", func(int) string { return "/v1/agents?pageSize=50" }, `"nextPageToken"`},
		"Search":    {http.MethodPost, `{"query":"skill 77","pageSize":10}`, func(int) string { return "/v1/agents:search" }, `"agent-`},
	} {
		b.Run(name, func(b *testing.B) {
			client := new(http.Client)
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				request, err := http.NewRequestWithContext(b.Context(), call.method, url+call.path(i), strings.NewReader(call.body))
				if err != nil {
					b.Fatalf("NewRequest() = %v, want no error", err)
				}
				request.Header.Set("Authorization", "Bearer "+adminToken.Reveal())
				begin := time.Now()
				response, err := client.Do(request)
				if err != nil {
					b.Fatalf("Do() = %v, want no error", err)
				}
				body, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if err != nil || !strings.Contains(string(body), call.want) {
					b.Fatalf("%s = %.200s, %v, want %s", call.path(i), body, err, call.want)
				}
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e6, "embedded-p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e6, "embedded-p99-ms")
		})
	}
}
