package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/compat"
)

// fill registers n agents; extra adds to each registration.
func fill(b *testing.B, r *registry.Registry, n int, extra func(i int, in *registry.Registration)) {
	b.Helper()
	const callers = 256 // together, because each commit is a flush to disk
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for i := caller; i < n; i += callers {
				in := registry.Registration{RawCard: benchCard(fmt.Sprintf("agent-%06d", i), i, 10_000)}
				if extra != nil {
					extra(i, &in)
				}
				if _, _, err := r.Register(b.Context(), "default", in); err != nil {
					b.Errorf("Register(%d) = %v, want no error", i, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// openRegistry returns an empty registry over an embedded store.
func openRegistry(b *testing.B) *registry.Registry {
	b.Helper()
	store, closeStore := open(b, filepath.Join(b.TempDir(), "quorate.db"))
	b.Cleanup(closeStore)
	return registry.New(store, registry.Options{LeaseDuration: time.Hour})
}

// report prints the percentiles of times under the store's name.
func report(b *testing.B, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e6, "embedded-p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e6, "embedded-p99-ms")
}

// measure calls step once per iteration and reports how long each took.
func measure(b *testing.B, step func(i int)) {
	b.Helper()
	var times []time.Duration
	i := 0
	for b.Loop() {
		begin := time.Now()
		step(i)
		times = append(times, time.Since(begin))
		i++
	}
	report(b, times)
}

// BenchmarkDirectoryBySkill looks one of 1,000 skills up among 10,000 agents, in memory.
func BenchmarkDirectoryBySkill(b *testing.B) {
	r := openRegistry(b)
	fill(b, r, 10_000, func(i int, in *registry.Registration) { in.RawCard = benchCard(fmt.Sprintf("agent-%06d", i), i, 1000) })
	if err := r.Directory().Sync(b.Context(), "default"); err != nil {
		b.Fatalf("Sync() = %v, want no error", err)
	}
	measure(b, func(i int) {
		if got := r.Directory().BySkill("default", "skill-"+strconv.Itoa(i*7%1000)); len(got) != 50 {
			b.Fatalf("BySkill() = %d agents, want 50", len(got))
		}
	})
}

// BenchmarkSearch searches 50,000 skills by text.
func BenchmarkSearch(b *testing.B) {
	r := openRegistry(b)
	fill(b, r, 10_000, nil)
	if err := r.Directory().Sync(b.Context(), "default"); err != nil {
		b.Fatalf("Sync() = %v, want no error", err)
	}
	measure(b, func(i int) {
		got, _, err := r.Search(b.Context(), "default", registry.Search{Text: "skill " + strconv.Itoa(i*7%10_000), Limit: 50})
		if err != nil || len(got) == 0 {
			b.Fatalf("Search() = %d agents, %v, want some", len(got), err)
		}
	})
}

// BenchmarkHundredThousandAgents reads the first page of a list of 100,000 agents, as it is, ordered and filtered, and reports the
// resident memory, with the directory loaded, in MiB; a part of it are pages of the file that the system can take back.
func BenchmarkHundredThousandAgents(b *testing.B) {
	r := openRegistry(b)
	fill(b, r, 100_000, nil)
	b.Run("FirstPage", func(b *testing.B) {
		measure(b, func(int) {
			if got, err := r.Agents(b.Context(), "default", "", 50); err != nil || len(got) != 50 {
				b.Fatalf("Agents() = %d, %v, want 50", len(got), err)
			}
		})
	})
	if err := r.Directory().Sync(b.Context(), "default"); err != nil {
		b.Fatalf("Sync() = %v, want no error", err)
	}
	for _, by := range []string{"update_time desc", "version"} {
		order, err := registry.ParseOrder(by)
		if err != nil {
			b.Fatalf("ParseOrder() = %v, want no error", err)
		}
		b.Run("FirstPageBy/"+by, func(b *testing.B) {
			measure(b, func(int) {
				if got, _, err := r.AgentsInOrder(b.Context(), "default", order, registry.Filter{}, "", 50); err != nil || len(got) != 50 {
					b.Fatalf("AgentsInOrder() = %d, %v, want 50", len(got), err)
				}
			})
		})
	}
	b.Run("Memory", func(b *testing.B) {
		for b.Loop() {
			runtime.GC()
		}
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		b.ReportMetric(float64(stats.HeapAlloc)/(1<<20), "embedded-heap-MiB")
		b.ReportMetric(residentMiB(b), "embedded-resident-MiB")
		runtime.KeepAlive(r)
	})
}

func residentMiB(b *testing.B) float64 {
	b.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("resident memory is read from /proc, which is not here")
	}
	pages, err := strconv.Atoi(string(bytes.Fields(statm)[1]))
	if err != nil {
		b.Fatalf("statm = %s, want numbers", statm)
	}
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

// BenchmarkFindCompatible looks for pages of consumers and producers among 10,000 skills of as many agents, half of which declare a
// JSON Schema.
func BenchmarkFindCompatible(b *testing.B) {
	r := openRegistry(b)
	types := []string{"document", "artifact", "collection", "reference", "comment"}
	fill(b, r, 10_000, func(i int, in *registry.Registration) {
		in.RawCard = fmt.Appendf(nil, `{"name":"agent-%06d","version":"1.0.0","url":"https://a.example","skills":[{"id":"skill-%d"}]}`, i, i)
		m := agentcard.Metadata{
			InputSchemas:  []agentcard.InputSchema{{Name: "in", SemanticType: types[i%5], Required: true}},
			OutputSchemas: []agentcard.OutputSchema{{Name: "out", SemanticType: types[i/5%5], Guaranteed: true}},
		}
		if i%2 == 0 {
			property := func(n int) map[string]any {
				return map[string]any{"type": "object", "required": []any{"p" + strconv.Itoa(n)}, "properties": map[string]any{
					"p" + strconv.Itoa(n): map[string]any{"type": "string"}, "list": map[string]any{"type": "array", "items": map[string]any{"type": "integer"}},
				}}
			}
			m.InputSchemas[0].JSONSchema, m.OutputSchemas[0].JSONSchema = property(i%97), property(i%89)
		}
		in.Metadata = &m
	})
	if err := r.Directory().Sync(b.Context(), "default"); err != nil {
		b.Fatalf("Sync() = %v, want no error", err)
	}
	for _, direction := range []string{compat.Consumers, compat.Producers} {
		for _, tier := range []string{"", compat.TierStructure} {
			b.Run(direction+tier, func(b *testing.B) {
				measure(b, func(i int) {
					q := registry.CompatibleQuery{Agent: fmt.Sprintf("agent-%06d", i*7%10_000), Limit: 50, Query: compat.Query{Direction: direction}}
					if tier != "" { // what is behind all that the types say
						q.After = compat.Place{Tier: 4}
					}
					if got, _, err := r.FindCompatible(b.Context(), "default", q); err != nil || (tier == "" && len(got) != 50) {
						b.Fatalf("FindCompatible() = %d pairs, %v, want 50", len(got), err)
					}
				})
			})
		}
	}
}

// BenchmarkHeartbeats beats for 1,000 agents from 64 callers.
func BenchmarkHeartbeats(b *testing.B) {
	r := openRegistry(b)
	fill(b, r, 1000, nil)
	var next atomic.Int64
	b.SetParallelism(64)
	begin := time.Now()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			name := fmt.Sprintf("agent-%06d", next.Add(1)%1000)
			if _, err := r.Heartbeat(b.Context(), "default", registry.Beat{Agent: name, Status: registry.StatusAvailable}); err != nil {
				b.Errorf("Heartbeat(%s) = %v, want no error", name, err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(begin).Seconds(), "embedded-beats/s")
}

var errOver = errors.New("over")

// BenchmarkRegisterAndWatch registers agents from 64 callers, none of which may fail, while four watchers follow, and reports how
// long it took from an agent's registration to its event.
func BenchmarkRegisterAndWatch(b *testing.B) {
	const callers, watchers = 64, 4
	r := openRegistry(b)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var delays [watchers][]time.Duration
	var following, group sync.WaitGroup
	for w := range watchers {
		following.Go(func() {
			zero := int64(0)
			err := r.Watch(ctx, "default", registry.WatchOptions{Revision: &zero}, func(e registry.Event) error {
				if e.Type == registry.ChangeCreated {
					delays[w] = append(delays[w], time.Since(e.State.CreateTime))
				}
				if len(delays[w]) == b.N {
					return errOver
				}
				return nil
			})
			if !errors.Is(err, errOver) {
				b.Errorf("Watch() = %v, want every registration", err)
			}
		})
	}
	begin := time.Now()
	b.ResetTimer()
	for caller := range callers {
		group.Go(func() {
			for i := caller; i < b.N; i += callers {
				in := registry.Registration{RawCard: benchCard(fmt.Sprintf("agent-%06d", i), i, 10_000)}
				if _, _, err := r.Register(b.Context(), "default", in); err != nil {
					b.Errorf("Register(%d) = %v, want no error", i, err)
					cancel()
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/time.Since(begin).Seconds(), "embedded-registrations/s")
	following.Wait()
	b.StopTimer()
	report(b, slices.Concat(delays[:]...))
}
