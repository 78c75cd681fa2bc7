package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/benchtest"
)

// BenchmarkPassing is a message to an agent that answers at once: directly, through a Quorate, through a floor and through an edge, each of its own process, in
// rounds one after the other in one run. For each way it reports the CPU of the process in between, and as multiples of the direct way's the median time and the CPU
// of all that take part. Quorate has authentication, roles, limits and tracing as they always are.
func BenchmarkPassing(b *testing.B) {
	i := start(b, b.TempDir(), "--pass-through", "*", "--log-level", "error")
	agent, at := servePlain(b, i, "plain", false)
	of, err := json.Marshal(at)
	if err != nil {
		b.Fatal(err)
	}
	floor, bottom := startPart(b, "-part", "floor", "-of", string(of))
	edge, bare := startPart(b, "-part", "edge", "-of", string(of))
	const text = "hello"
	for _, binding := range []struct {
		name                        string
		direct, server, floor, edge call
	}{
		{
			"gRPC", sendGRPC(b, at.GRPC, "", "", text), sendGRPC(b, i.ports.GRPC, "plain", i.token(), text),
			sendGRPC(b, bottom.GRPC, "", "", text), sendGRPC(b, bare.GRPC, "plain", "", text),
		},
		{
			"JSONRPC", sendJSONRPC(b, at.HTTP, ""), sendJSONRPC(b, i.ports.HTTP+"/agents/plain", i.token()),
			sendJSONRPC(b, bottom.HTTP, ""), sendJSONRPC(b, bare.HTTP+"/agents/plain", ""),
		},
	} {
		ways := []*way{
			{call: binding.direct},
			{name: "server", call: binding.server, process: i},
			{name: "floor", call: binding.floor, process: floor},
			{name: "edge", call: binding.edge, process: edge},
		}
		for _, callers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/callers=%d", binding.name, callers), func(b *testing.B) {
				measureWays(b, callers, agent, ways)
			})
		}
	}
}

// way is one of several ways to get the same answer, and what it took.
type way struct {
	name    string
	call    call
	process *instance // between the callers, which are of this process, and the agent; nil: none

	mu         sync.Mutex
	took       []time.Duration // guarded by mu
	in, around time.Duration   // CPU of process, and of callers and agent
}

// measureWays makes b.N calls each way, in rounds that take turns, so that what else the machine does meets all.
func measureWays(b *testing.B, callers int, agent *instance, ways []*way) {
	b.Helper()
	const round = 500
	for _, w := range ways {
		w.took, w.in, w.around = nil, 0, 0
		benchtest.Share(b, callers, 100, w.call) // connections and pools
	}
	b.ResetTimer()
	for left := b.N; left > 0 && !b.Failed(); left -= round {
		for _, w := range ways {
			w.round(b, callers, min(left, round), agent)
		}
	}
	b.StopTimer()
	if b.Failed() {
		return
	}
	direct := ways[0]
	perCall := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(perCall(direct.around), "direct-cpu-µs/op")
	b.ReportMetric(float64(median(direct.took).Microseconds()), "direct-p50-µs")
	for _, w := range ways[1:] {
		b.ReportMetric(perCall(w.in), w.name+"-cpu-µs/op")
		b.ReportMetric(float64(median(w.took))/float64(median(direct.took)), w.name+"-x-direct")
		if direct.around > 0 {
			b.ReportMetric(float64(w.in+w.around)/float64(direct.around), w.name+"-cpu-x-direct")
		}
	}
}

func (w *way) round(b *testing.B, callers, n int, agent *instance) {
	b.Helper()
	around := cpuOf(b, os.Getpid()) + agent.cpu()
	var in time.Duration
	if w.process != nil {
		in = w.process.cpu()
	}
	benchtest.Share(b, callers, n, func() error {
		begin := time.Now()
		err := w.call()
		took := time.Since(begin)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.took = append(w.took, took)
		return err
	})
	w.around += cpuOf(b, os.Getpid()) + agent.cpu() - around
	if w.process != nil {
		w.in += w.process.cpu() - in
	}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
