package router_test

import (
	"cmp"
	"slices"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/router"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/schema"
)

// planner finds chains as one would by hand: in each round it goes through all agents, and all that is there for each of their inputs.
type planner struct {
	listing registry.Listing
	items   []plainItem
	gets    map[string][]int // items, by the agent that worked with them
}

type plainItem struct {
	orchestrator.Typed
	schema map[string]any
	by     string // empty for what was there from the beginning
}

// plan returns the shortest chain through the agents that take tasks, of several that of the fewest agents, and how many of it work one after the other.
func (p *planner) plan(want orchestrator.Contract) ([]orchestrator.Link, int) {
	p.gets = make(map[string][]int)
	for _, t := range want.Inputs {
		p.items = append(p.items, plainItem{Typed: t})
	}
	for hops, there := 1, -1; hops <= 32 && there < len(p.items); hops++ {
		there = len(p.items)
		for _, a := range p.listing.Agents {
			if p.gets[a.Name] == nil && router.AcceptsTasks(a.Status) {
				p.work(a, there)
			}
		}
		var best []orchestrator.Link
		for _, x := range p.items[there:] {
			if (want.Output.Name == "" || want.Output.Name == x.Name) && (want.Output.SemanticType == "" || p.listing.Related(x.SemanticType, want.Output.SemanticType)) {
				if list := p.links(nil, x); best == nil || len(list) < len(best) {
					best = list
				}
			}
		}
		if best != nil {
			return best, hops
		}
	}
	return nil, 0
}

// work has an agent make all that is certain, if it requires something and gets it of the items that are there.
func (p *planner) work(a *registry.Agent, there int) {
	required := requiredOf(a)
	got := make([]int, len(required))
	for i := range got {
		got[i] = -1
	}
	for rank := range 3 {
		for i, in := range required {
			if got[i] < 0 {
				left := slices.DeleteFunc(p.find(in, rank, there), func(x int) bool { return slices.Contains(got, x) })
				got[i] = append(left, -1)[0]
			}
		}
	}
	rematch(got, func(i, x int) bool { return p.items[x].Name == required[i].Name }, func(i int) []int {
		return slices.Concat(p.find(required[i], 0, there), p.find(required[i], 1, there), p.find(required[i], 2, there))
	})
	if len(got) == 0 || slices.Contains(got, -1) {
		return
	}
	p.gets[a.Name] = got
	for _, o := range a.Metadata.OutputSchemas {
		if o.Guaranteed {
			p.items = append(p.items, plainItem{orchestrator.Typed{Name: o.Name, SemanticType: o.SemanticType}, o.JSONSchema, a.Name})
		}
	}
}

func requiredOf(a *registry.Agent) []agentcard.InputSchema {
	return slices.DeleteFunc(slices.Clone(a.Metadata.InputSchemas), func(in agentcard.InputSchema) bool { return !in.Required })
}

// rematch has those that have something make room for those that have nothing, if they can have something else. options are what one may have.
func rematch(got []int, fixed func(i, x int) bool, options func(i int) []int) {
	var free func(i int, tried map[int]bool) bool
	free = func(i int, tried map[int]bool) bool {
		for _, x := range options(i) {
			if tried[x] {
				continue
			}
			tried[x] = true
			if holder := slices.Index(got, x); holder < 0 || !fixed(holder, x) && free(holder, tried) {
				got[i] = x
				return true
			}
		}
		return false
	}
	for i := range got {
		if got[i] < 0 {
			free(i, make(map[int]bool))
		}
	}
}

// find returns the items of the same name (rank 0), of the same type (1), or of all types that may stand for it (2).
func (p *planner) find(in agentcard.InputSchema, rank, there int) []int {
	var found []int
	for i, x := range p.items[:there] {
		if []bool{x.Name == in.Name, x.SemanticType == in.SemanticType, true}[rank] && p.fits(x, in) {
			found = append(found, i)
		}
	}
	if rank == 2 {
		slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(p.items[a].SemanticType, p.items[b].SemanticType) })
	}
	return found
}

func (p *planner) fits(x plainItem, in agentcard.InputSchema) bool {
	if x.SemanticType == "" {
		return x.Name == in.Name
	}
	if !p.listing.Related(x.SemanticType, in.SemanticType) {
		return false
	}
	if x.schema == nil || in.JSONSchema == nil {
		return true
	}
	within, _ := schema.Within(x.schema, in.JSONSchema)
	return within
}

// links adds those who have to work so that an item gets made.
func (p *planner) links(list []orchestrator.Link, goal plainItem) []orchestrator.Link {
	if goal.by == "" || step(list, goal.by) > 0 {
		return list
	}
	link := orchestrator.Link{Agent: goal.by, Output: goal.Typed}
	at := slices.IndexFunc(p.listing.Agents, func(a *registry.Agent) bool { return a.Name == goal.by })
	for i, in := range requiredOf(p.listing.Agents[at]) {
		x := p.items[p.gets[goal.by][i]]
		list = p.links(list, x)
		take := orchestrator.Take{As: in.Name, From: step(list, x.by)}
		if take.From > 0 {
			take.Item = x.Name
		}
		link.Inputs, link.Takes = append(link.Inputs, x.Typed), append(link.Takes, take)
	}
	return append(list, link)
}

// step is an agent's place in a chain, from 1; 0 is none.
func step(list []orchestrator.Link, agent string) int {
	return 1 + slices.IndexFunc(list, func(l orchestrator.Link) bool { return l.Agent == agent })
}
