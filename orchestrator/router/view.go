package router

import (
	"github.com/quorate/quorate/registry"
)

// view holds one edition of a tenant's agents, by what they make.
type view struct {
	registry.Listing
	byType map[string][]int // positions of agents, in order, by each semantic type that one of their outputs is usable as
	byName map[string][]int // the same by the name of an output

	chainAgents             // for planning chains
	schemas     schemaCache // results of comparing their schemas
}

func newView(list registry.Listing) *view {
	v := &view{Listing: list, byType: make(map[string][]int), byName: make(map[string][]int)}
	add := func(by map[string][]int, key string, at int) {
		if l := by[key]; len(l) == 0 || l[len(l)-1] != at {
			by[key] = append(l, at)
		}
	}
	for at, a := range list.Agents {
		for i := range a.Metadata.OutputSchemas {
			for _, as := range list.UsableAs(a.Metadata.OutputSchemas[i].SemanticType) {
				add(v.byType, as, at)
			}
			add(v.byName, a.Metadata.OutputSchemas[i].Name, at)
		}
	}
	v.chainAgents = newChainAgents(list.Agents)
	return v
}

// current reports whether the view is as recent as the directory.
func (v *view) current(d Directory, tenant string) bool {
	return v != nil && v.Edition == d.Edition(tenant)
}
