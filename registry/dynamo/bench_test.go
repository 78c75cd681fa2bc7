package dynamo_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
)

const (
	benchAgents = 1000
	benchSkills = 100
	benchCaller = 64
)

func benchCard(n int) []byte {
	return fmt.Appendf(nil, `{"name":"agent-%06d","description":"An agent of a usual size","version":"1.0.0","url":"https://a.example/",`+
		`"skills":[{"id":"skill-%d","name":"Skill","tags":["a"]},{"id":"skill-%d","name":"Skill","tags":["b"]}]}`, n, n%benchSkills, (n+1)%benchSkills)
}

// benchRegistry returns a registry over a new store with n agents. An emulator is measured: real DynamoDB answers more slowly, and
// many more callers at once.
func benchRegistry(b *testing.B, n int, transport http.RoundTripper) *registry.Registry {
	b.Helper()
	r := registry.New(open(b, transport), registry.Options{LeaseDuration: time.Hour})
	var next atomic.Int64
	together(benchCaller, func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if _, _, err := r.Register(b.Context(), "default", registry.Registration{RawCard: benchCard(i)}); err != nil {
				b.Errorf("Register(%d) = %v, want no error", i, err)
				return
			}
		}
	})
	return r
}

func together(callers int, run func()) {
	var group sync.WaitGroup
	for range callers {
		group.Go(run)
	}
	group.Wait()
}

// measure calls step once per iteration and reports percentiles under the store's name.
func measure(b *testing.B, step func(i int) error) {
	b.Helper()
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		if err := step(i); err != nil {
			b.Fatalf("step %d = %v, want no error", i, err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e6, "dynamodb-p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e6, "dynamodb-p99-ms")
}

// BenchmarkReads looks agents up by name, by skill and page by page among 1,000.
func BenchmarkReads(b *testing.B) {
	r := benchRegistry(b, benchAgents, nil)
	b.Run("agent", func(b *testing.B) {
		measure(b, func(i int) error {
			_, err := r.Agent(b.Context(), "default", fmt.Sprintf("agent-%06d", i*7%benchAgents))
			return err
		})
	})
	b.Run("skill", func(b *testing.B) {
		measure(b, func(i int) error {
			_, err := r.AgentsWith(b.Context(), "default", fmt.Sprintf("skill-%d", i%benchSkills), "", "", 50)
			return err
		})
	})
	b.Run("first page", func(b *testing.B) {
		measure(b, func(int) error {
			_, err := r.Agents(b.Context(), "default", "", 50)
			return err
		})
	})
}

// BenchmarkHeartbeats has 64 callers beat for as many agents; each beat is one write.
func BenchmarkHeartbeats(b *testing.B) {
	r := benchRegistry(b, benchCaller, nil)
	var caller atomic.Int64
	var epochs [benchCaller]int64
	perSecond(b, "dynamodb-beats/s", func() func() error {
		n := (caller.Add(1) - 1) % benchCaller
		return func() error {
			lease, err := r.Heartbeat(b.Context(), "default", registry.Beat{
				Agent: fmt.Sprintf("agent-%06d", n), Epoch: epochs[n], Status: registry.StatusAvailable,
			})
			epochs[n] = lease.Epoch
			return err
		}
	})
}

// BenchmarkRegister has 64 callers register agents of one tenant, whose change log gives each a revision of its own: with the
// emulator as it is, and as far away as DynamoDB is.
func BenchmarkRegister(b *testing.B) {
	for name, transport := range map[string]http.RoundTripper{"near": nil, "10 ms away": distant(10 * time.Millisecond)} {
		b.Run(name, func(b *testing.B) {
			r := benchRegistry(b, 0, transport)
			var next atomic.Int64
			perSecond(b, "dynamodb-agents/s", func() func() error {
				return func() error {
					_, _, err := r.Register(b.Context(), "default", registry.Registration{RawCard: benchCard(int(next.Add(1)))})
					return err
				}
			})
		})
	}
}

// distant is a transport that takes a while.
type distant time.Duration

var direct = &http.Transport{MaxIdleConnsPerHost: 2 * benchCaller}

// RoundTrip waits and then sends the call.
func (d distant) RoundTrip(request *http.Request) (*http.Response, error) {
	timer := time.NewTimer(time.Duration(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return direct.RoundTrip(request)
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
}

// perSecond has 64 callers do b.N steps together; caller returns what one of them does.
func perSecond(b *testing.B, unit string, caller func() func() error) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	begin := time.Now()
	together(benchCaller, func() {
		step := caller()
		for left.Add(-1) >= 0 {
			if err := step(); err != nil {
				b.Errorf("step = %v, want no error", err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(begin).Seconds(), unit)
}
