package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/orchestrator/benchtest"
)

// BenchmarkPassing measures a message to an agent that answers at once: sent directly, through Quorate, through the floor and through the edge, each a process of its
// own, in rounds that take turns. For each way it reports the CPU of the process in between and, as multiples of the direct way, the median latency and the CPU of all
// processes. Quorate has authentication, roles, limits and tracing as always. Caller and agent are first minimal ones, and then use a2a-go.
func BenchmarkPassing(b *testing.B) {
	i := start(b, b.TempDir(), "--pass-through", "*", "--log-level", "error")
	const text = "hello"
	plain := newPassing(b, i, "agent", "plain")
	plain.run("gRPC", func(addr addresses, tenant, token string) call { return sendGRPC(b, addr.GRPC, tenant, token, text) })
	plain.run("JSONRPC", func(addr addresses, _, token string) call { return sendJSONRPC(b, addr.HTTP, token, "hello") })
	sdk := newPassing(b, i, "sdk-agent", "sdk")
	sdk.run("SDK-gRPC", func(addr addresses, tenant, token string) call {
		return sendSDK(b, a2a.TransportProtocolGRPC, addr.GRPC, tenant, token)
	})
	sdk.run("SDK-JSONRPC", func(addr addresses, _, token string) call {
		return sendSDK(b, a2a.TransportProtocolJSONRPC, addr.HTTP, "", token)
	})
}

// passing is an agent with everything that can be between it and its callers.
type passing struct {
	b                    *testing.B
	name                 string
	server               *instance
	agent, floor, edge   *instance
	direct, bottom, bare addresses
}

func newPassing(b *testing.B, server *instance, part, name string) *passing {
	b.Helper()
	p := &passing{b: b, name: name, server: server}
	p.agent, p.direct = serveAgent(b, server, part, name, false)
	of, err := json.Marshal(p.direct)
	if err != nil {
		b.Fatal(err)
	}
	p.floor, p.bottom = startPart(b, "-part", "floor", "-of", string(of))
	p.edge, p.bare = startPart(b, "-part", "edge", "-of", string(of), "-name", name)
	return p
}

// run measures the ways over one binding.
func (p *passing) run(binding string, to func(addr addresses, tenant, token string) call) {
	p.b.Helper()
	door := func(gRPC, http string) addresses { return addresses{GRPC: gRPC, HTTP: http + "/agents/" + p.name} }
	ways := []*way{
		{call: to(p.direct, "", "")},
		{name: "server", call: to(door(p.server.ports.GRPC, p.server.ports.HTTP), p.name, p.server.token()), process: p.server},
		{name: "floor", call: to(p.bottom, "", ""), process: p.floor},
		{name: "edge", call: to(door(p.bare.GRPC, p.bare.HTTP), p.name, ""), process: p.edge},
	}
	for _, callers := range []int{1, 16} {
		p.b.Run(fmt.Sprintf("%s/callers=%d", binding, callers), func(b *testing.B) {
			measureWays(b, callers, p.agent, ways)
		})
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

// measureWays makes b.N calls each way, in rounds that take turns, so that other work on the machine affects all ways alike.
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
