package router_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/embedded"
)

const (
	benchAgents = 1000
	benchSkills = 10 // of each
	hopAgents   = 5  // of a chain

	absent = "absent" // how the names of agents begin that never send a heartbeat
)

// crowd is a registry of 1,000 agents with 10,000 skills of their own, each with an example, and one that all have. Each agent of the chain has a
// twin that would come before it, and is absent. The directory is up to date.
func crowd(b *testing.B) *registry.Registry {
	b.Helper()
	db, err := boltdb.Open(filepath.Join(b.TempDir(), "r.db"), boltdb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	store, err := embedded.New(b.Context(), db)
	if err != nil {
		b.Fatal(err)
	}
	reg := registry.New(store, registry.Options{LeaseDuration: time.Hour})
	var calls errgroup.Group
	calls.SetLimit(64)
	for i := range benchAgents {
		calls.Go(func() error { return join(b.Context(), reg, fmt.Sprintf("agent-%04d", i), skills(i), ports(i)) })
	}
	for i := range hopAgents {
		for _, name := range []string{"hop", absent} {
			hop := maker("", fmt.Sprintf("hop%d:reference", i), fmt.Sprintf("hop%d:reference", i+1)).Metadata
			hop.InputSchemas[0].JSONSchema, hop.OutputSchemas[0].JSONSchema = only(i), only(i+1)
			calls.Go(func() error {
				return join(b.Context(), reg, fmt.Sprintf("%s-%d", name, i), `{"id":"hop","name":"Hop","description":"Hops.","tags":["hop"]}`, hop)
			})
		}
	}
	if err := calls.Wait(); err != nil {
		b.Fatal(err)
	}
	if err := reg.Directory().Sync(b.Context(), tenant); err != nil {
		b.Fatal(err)
	}
	return reg
}

// only is a JSON Schema that nothing else is within.
func only(i int) map[string]any {
	return map[string]any{"type": "string", "const": fmt.Sprint("hop", i)}
}

func join(ctx context.Context, reg *registry.Registry, name, skills string, m agentcard.Metadata) error {
	card := fmt.Sprintf(`{"name":%q,"description":"Makes things.","version":"1.0.0","supportedInterfaces":[{"url":"http://127.0.0.1:1","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
		"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[%s]}`, name, skills)
	if _, _, err := reg.Register(ctx, tenant, registry.Registration{RawCard: []byte(card), Metadata: &m}); err != nil {
		return err
	}
	if strings.HasPrefix(name, absent) {
		return nil
	}
	_, err := reg.Heartbeat(ctx, tenant, registry.Beat{Agent: name, Status: registry.StatusAvailable})
	return err
}

// skills are ten that no other agent has, spread over the words, and one that all have.
func skills(i int) string {
	list := ""
	for j := range benchSkills {
		n := ((i-j*97+benchAgents*benchSkills)%benchAgents)*benchSkills + j
		if list != "" {
			list += ","
		}
		list += fmt.Sprintf(`{"id":"skill_%05d","name":"%s %s","description":"Does %s for %s and %s","tags":["t"],"examples":["please %s the %s of my %s"]}`,
			n, word(n), word(n*7), word(n*3), word(n*5), word(n*11), word(n), word(n*7), word(n*13))
	}
	return list + `,{"id":"talk","name":"Talk","description":"Talks.","tags":["t"]}`
}

var benchTypes = []string{"document", "artifact", "collection", "reference", "comment"}

func ports(i int) agentcard.Metadata {
	return maker("", "in:"+benchTypes[i%5], fmt.Sprintf("out%d:%s", i%100, benchTypes[i*7%5])).Metadata
}

// BenchmarkResolve is a decision among 1,000 agents with 10,000 skills in the registry's own directory: p99 in microseconds, refusals included.
func BenchmarkResolve(b *testing.B) {
	reg := crowd(b)
	r := router.New(router.Config{Directory: reg.Directory()})
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	b.Cleanup(func() { cancel(); running.Wait() })
	for _, way := range slices.Concat(narrow, wide) {
		b.Run(way.name, func(b *testing.B) {
			_, _ = r.Resolve(b.Context(), tenant, way.route(0)) // makes the index
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begin := time.Now()
				_, _ = r.Resolve(b.Context(), tenant, way.route(i)) // a refusal is a decision too
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
		})
	}
}

// way is a way to say where.
type way struct {
	name  string
	route func(i int) orchestrator.Route
}

// narrow are ways on which few agents fit.
var narrow = []way{
	{"agent", func(i int) orchestrator.Route {
		return orchestrator.Route{Agent: fmt.Sprintf("agent-%04d", i%benchAgents)}
	}},
	{"skill", func(i int) orchestrator.Route {
		return orchestrator.Route{Skill: fmt.Sprintf("skill_%05d", i%benchAgents*benchSkills+i%benchSkills)}
	}},
	{"contract", func(i int) orchestrator.Route {
		return contract(":"+benchTypes[i%5], fmt.Sprintf("out%d:", i%100))
	}},
	{"text", func(i int) orchestrator.Route {
		return orchestrator.Route{Text: fmt.Sprintf("please %s the %s of my %s", word(i), word(i*7), word(i*13))}
	}},
	{"chain", chainRoute},
}

// wide are ways on which 200 to 1,000 agents are looked at one by one.
var wide = []way{
	{"skill-of-all", func(int) orchestrator.Route { return orchestrator.Route{Skill: "talk"} }},
	{"type", func(i int) orchestrator.Route { return contract(":"+benchTypes[i%5], ":"+benchTypes[i/5%5]) }},
	{"type-all-inputs", func(i int) orchestrator.Route {
		return contract(":document :artifact :collection :reference :comment", ":"+benchTypes[i%5])
	}},
	{"type-64-inputs", func(i int) orchestrator.Route {
		return contract(strings.Repeat("x:document y:comment ", 32), ":"+benchTypes[i%5])
	}},
	{"type-no-inputs", func(i int) orchestrator.Route { return contract("", ":"+benchTypes[i%5]) }},
	{"type-other-inputs", func(i int) orchestrator.Route { return contract("hop0:", ":"+benchTypes[i%5]) }},
	{"long-text", func(i int) orchestrator.Route {
		return orchestrator.Route{Text: strings.Repeat(fmt.Sprintf("please does for and %s the %s of my %s ", word(i), word(i*7), word(i*13)), 20)}
	}},
}

// chainRoute wants what no agent makes alone: what takes five agents, or fewer, or one of the crowd behind one of the hops, or what nobody makes.
func chainRoute(i int) orchestrator.Route {
	from := fmt.Sprintf("hop%d:", i/4%(hopAgents-1))
	switch i % 4 {
	case 0:
		return contract("hop0:", fmt.Sprintf("hop%d:", hopAgents))
	case 1:
		return contract(from, fmt.Sprintf("hop%d:", hopAgents))
	case 2:
		return contract(from, fmt.Sprintf("out%d:", i%100))
	default:
		return contract(from, fmt.Sprintf("nothing%d:", i))
	}
}

// word is one of some thousands.
func word(i int) string {
	syllables := []string{"ba", "ko", "ri", "tu", "me", "sal", "fen", "dor", "vi", "gap", "lun", "os"}
	i %= 12 * 12 * 12
	return syllables[i%12] + syllables[i/12%12] + syllables[i/144%12]
}
