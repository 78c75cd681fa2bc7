package embedded_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
)

// BenchmarkAgentsBySkill looks up one of 1,000 skills among 10,000 agents that have five each: pages of 50 agents with their
// status, one after the other.
func BenchmarkAgentsBySkill(b *testing.B) {
	const agents, skills, callers = 10_000, 1000, 256
	store, closeStore := open(b, filepath.Join(b.TempDir(), "quorate.db"))
	defer closeStore()
	r := registry.New(store, registry.Options{LeaseDuration: time.Hour})
	var group sync.WaitGroup
	for caller := range callers { // together, because each commit is a flush to disk
		group.Go(func() {
			for n := caller; n < agents; n += callers {
				name := fmt.Sprintf("agent-%05d", n)
				if _, _, err := r.Register(b.Context(), "default", registry.Registration{RawCard: benchCard(name, n, skills)}); err != nil {
					b.Errorf("Register(%s) = %v, want no error", name, err)
				}
				if _, err := r.Heartbeat(b.Context(), "default", registry.Beat{Agent: name, Status: registry.StatusAvailable}); err != nil {
					b.Errorf("Heartbeat(%s) = %v, want no error", name, err)
				}
			}
		})
	}
	group.Wait()
	var times []time.Duration
	look := func(i int) {
		begin := time.Now()
		found, err := r.AgentsWith(b.Context(), "default", fmt.Sprintf("skill-%d", i*7%skills), "", "", 50)
		times = append(times, time.Since(begin))
		if err != nil || len(found) != 50 || found[0].Status.Status != registry.StatusAvailable {
			b.Fatalf("AgentsWith() = %d agents, %v, want 50 available", len(found), err)
		}
	}
	for i := range skills { // a server is warm after its first second
		look(i)
	}
	times = times[:0]
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		look(i)
		i++
	}
	report(b, times)
}

// benchCard returns a card of a usual size with five of the skills.
func benchCard(name string, n, skills int) []byte {
	var list []string
	for i := range 5 {
		list = append(list, fmt.Sprintf(`{"id":"skill-%d","name":"Skill","description":"What this skill does, in a sentence","tags":["a","b"]}`,
			(n+i*skills/5)%skills))
	}
	return fmt.Appendf(nil, `{"name":%q,"description":"An agent of a usual size","version":"1.0.0",`+
		`"supportedInterfaces":[{"url":"https://%s.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"skills":[%s]}`,
		name, name, strings.Join(list, ","))
}
