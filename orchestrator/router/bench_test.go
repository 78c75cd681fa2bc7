package router_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
)

// indexed is a directory in memory as the registry's is: with an index of names and of skills.
type indexed struct {
	fleet
	byName  map[string]registry.Agent
	bySkill map[string][]registry.Agent
}

func (d *indexed) Agent(_, name string) (registry.Agent, bool) {
	a, ok := d.byName[name]
	return a, ok
}

func (d *indexed) BySkill(_, skill string) []registry.Agent { return d.bySkill[skill] }

// BenchmarkResolve is a decision among 1,000 agents with 10,000 skills, of which ten agents have each.
func BenchmarkResolve(b *testing.B) {
	const agents, each = 1000, 10
	kinds := []string{"document", "artifact", "collection", "reference", "comment"}
	d := &indexed{byName: make(map[string]registry.Agent), bySkill: make(map[string][]registry.Agent)}
	for i := range agents {
		a := agent(fmt.Sprintf("agent-%04d", i), registry.StatusAvailable)
		a.Card.Skills = nil
		for j := range each {
			n := i*each + j
			a.Card.Skills = append(a.Card.Skills, registry.Skill{
				ID: fmt.Sprintf("skill_%05d", n), Name: word(n) + " " + word(n*7), Description: "Does " + word(n*3) + " for " + word(n*5) + " and " + word(n*11),
				Examples: []string{fmt.Sprintf("please %s the %s of my %s", word(n), word(n*7), word(n*13))},
			})
		}
		a.Metadata = maker("", "in:"+kinds[i%5], fmt.Sprintf("out%d:%s", i%100, kinds[i*7%5])).Metadata
		d.fleet = append(d.fleet, a)
		d.byName[a.Name] = a
	}
	for i := range agents * each {
		for k := range 10 {
			d.bySkill[fmt.Sprintf("skill_%05d", i)] = append(d.bySkill[fmt.Sprintf("skill_%05d", i)], d.fleet[(i+k*97)%agents])
		}
	}
	ways := map[string]func(i int) orchestrator.Route{
		"agent": func(i int) orchestrator.Route { return orchestrator.Route{Agent: d.fleet[i%agents].Name} },
		"skill": func(i int) orchestrator.Route {
			return orchestrator.Route{Skill: fmt.Sprintf("skill_%05d", i%(agents*each))}
		},
		"contract": func(i int) orchestrator.Route {
			return orchestrator.Route{Contract: &orchestrator.Contract{Inputs: typed(":" + kinds[i%5]), Output: typed(fmt.Sprintf("out%d:", i%100))[0]}}
		},
		"text": func(i int) orchestrator.Route {
			return orchestrator.Route{Text: fmt.Sprintf("please %s the %s of my %s", word(i), word(i*7), word(i*13))}
		},
	}
	for name, route := range ways {
		b.Run(name, func(b *testing.B) {
			r := router.New(router.Config{Directory: d})
			_, _ = r.Resolve(b.Context(), tenant, route(0)) // makes the index
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begin := time.Now()
				_, _ = r.Resolve(b.Context(), tenant, route(i)) // a refusal is a decision too
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// word is one of some thousands.
func word(i int) string {
	syllables := []string{"ba", "ko", "ri", "tu", "me", "sal", "fen", "dor", "vi", "gap", "lun", "os"}
	i %= 12 * 12 * 12
	return syllables[i%12] + syllables[i/12%12] + syllables[i/144%12]
}
